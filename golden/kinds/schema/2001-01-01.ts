/** The older of two revisions of a protocol that has every kind of type. */
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
  grown: string;
  /** Only a string before 2002-02-02. */
  note?: string;
  /** Gone in 2002-02-02. */
  retired?: string;
  narrowed?: Circle;
}

/** One or many. */
export interface Brackets {
  bracketed?: string | string[];
}

/** What may be null since 2002-02-02. */
export interface Loosened {
  text: string;
  id: string | number;
}

/** A literal that may be absent. */
export interface Maybe {
}

/** A colour. */
export type Color = "red" | "green";

/** A figure. */
export type Shape = Circle | Square;

/** A figure that can be drawn by hand. */
export type Drawing = Circle | Line;

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

/** An error, under its old name. */
export const OLD_NAME = -1;

/** An error that is gone. */
export const GONE = -2;
