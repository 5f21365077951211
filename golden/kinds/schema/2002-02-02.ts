/** One of each kind of member, required and optional. See {@link Shape} and {@link Everything.text}. */
export interface Everything {
  text: string;
  count: number;
  /** @TJS-type number */
  ratio: number;
  flag: boolean;
  id: string | number;
  any: unknown;
  object: object;
  list: string[];
  color: Color;
  shape: Shape;
  drawing: Drawing;
  grown: string | string[];
  note?: string;
  /** Required, and new. */
  demanded: string;
  literal: "fixed";
  on: true;
  version: 2;
  maybeLiteral?: "perhaps";
  nullText: string | null;
  nullCount: number | null;
  nullList: string[] | null;
  nullShape: Shape | null;
  nullPoint: Point | null;
  mixed: string | string[];
  many: Shape | Shape[];
  table: { [key: string]: number };
  tables: { [key: string]: { [key: string]: Point } };
  matrix: number[][];
  flags: boolean[];
  ratios: Ratio[];
  nullable: (number | null)[];
  ids: (string | number)[];
  levels: Level[];
  points: Points;
  named: PointsByName;
  scalar: string | number | boolean;
  tuple: [string, number];
  point: Point;
  optional?: Optional;
  empty: {};
  "x-dashed": string;
  "example.com/prefixed": string;
}

/** @TJS-type number */
export type Ratio = number;

/** The same members, but none must be there. */
export interface Optional {
  text?: string;
  alias?: Label;
  count?: number;
  /** @TJS-type number @minimum 0 @maximum 1 @default 0.5 */
  ratio?: number;
  /** @default true */
  flag?: boolean;
  /** @default "red" */
  color?: Color;
  id?: string | number;
  any?: unknown;
  object?: object;
  list?: string[];
  shape?: Shape;
  many?: Shape | Shape[];
  table?: { [key: string]: number };
  points?: Points;
  point?: Point;
  nullText?: string | null;
  nullList?: string[] | null;
  level?: Level;
  self?: Optional;
  mode?: Mode;
}

/** An alias of string. */
export type Label = string;

/** A type with one value. */
export type Mode = "only";

/** A place. */
export interface Point {
  x: number;
  y: number;
}

export type Points = Point[];
export type PointsByName = { [key: string]: Point };

/** An alias of an alias. */
export type Position = Spot;
export type Spot = Point;

/** Many. */
export interface Brackets {
  bracketed?: string[];
}

/** What may be null. */
export interface Loosened {
  text: string | null;
  id: string | number | null;
}

/** A literal that may be absent. */
export interface Maybe {
  maybe?: "so";
}

/** A colour. */
export type Color = "red" | "green" | "deep-blue";

/** A severity; others are possible. */
export type Level = "low" | "high" | string;

/** A figure. */
export type Shape = Circle | Square | Polygon;

/** A figure that can be drawn by hand. */
export type Drawing = Circle | Square | Line;

/** A stroke. */
export interface Line {
  kind: "line";
}

/** A round figure. */
export interface Circle {
  kind: "circle";
  /** @TJS-type number @minimum 0 */
  radius: number;
}

/** A figure with four sides. */
export interface Square {
  kind: "square";
  /** @TJS-type number */
  side: number;
}

/**
 * A figure with any number of sides.
 * @deprecated Use several {@link Square}s.
 */
export interface Polygon {
  kind: "polygon";
  corners: Point[];
}

/** Told apart by keys, some deep inside. */
export type ByKey = WithA | WithB | WithDeep | WithDeeper;
export interface WithA {
  a: string;
}
export interface WithB {
  b: string;
}
export interface WithDeep {
  in: { c: string };
}
export interface WithDeeper {
  in: { d: string };
}

/** Told apart by a value that may be absent. */
export type ByAbsence = Plain | Fancy;
export interface Plain {
  style?: "plain";
  name: string;
}
export interface Fancy {
  style: "fancy";
  name: string;
}

/** Keys of one's own beside the declared ones. */
export interface Open {
  known?: string;
  [key: string]: unknown;
}

/** An error, under its new name. */
export const NEW_NAME = -1;

/** An error that is new. */
export const NEW = -3;
