package parser

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestAdopt(t *testing.T) {
	const base = `
/** Ours of A. */
export interface A {
  /**
   * Ours of same.
   *
   * @default 5
   * @minimum 1
   */
  same?: number;
  /** Ours of retyped. */
  retyped: string;
  /** Ours of required. */
  required?: string;
  /** Ours of gone. */
  gone: string;
  /**
   * Ours of old.
   *
   * @deprecated Ours of why.
   */
  old: string;
  /**
   * Ours of revived.
   *
   * @deprecated Not any more.
   */
  revived: string;
  nested: {
    /** Ours of inner. */
    inner: string;
  };
  /** Ours of the index. */
  [key: string]: unknown;
}

/** Ours of U. */
export type U =
  /** Ours of x. */
  | "x"
  | string;

/** Ours of V. */
export const V = "1";
`
	const official = `
/* Theirs. */
/** Theirs of A. */
export interface A extends B {
  /**
   * Theirs of same.
   * @minimum 1
   */
  same?: number; // theirs
  /** Theirs of retyped. */
  retyped: number;
  /** Theirs of required. */
  required: string;
  /**
   * Theirs of added.
   * @format uri
   * @see theirs
   */
  added: string;
  plain: string;
  /** @deprecated Theirs of why. */
  old: string;
  revived: string;
  /**
   * Theirs of nested.
   * @deprecated theirs
   * @internal
   */
  nested: { /** Theirs of inner. */ inner: string };
  [key: string]: unknown;
}
export interface B {}
export type U = "x" | "y" | string;
/** Theirs of V. */
export const V = "2";
/**
 * Theirs of W.
 * @category w
 */
export type W = number;
`
	const want = `/**
 * Ours of A.
 *
 * -- was: no base
 */
export interface A extends B {
  /**
   * Ours of same.
   *
   * @default 5
   * @minimum 1
   */
  same?: number;
  /**
   * Ours of retyped.
   *
   * -- was: string
   */
  retyped: number;
  /**
   * Ours of required.
   *
   * -- was: string, optional
   */
  required: string;
  /**
   * --
   *
   * @format uri
   */
  added: string;
  /** -- */
  plain: string;
  /**
   * Ours of old.
   *
   * @deprecated Ours of why.
   */
  old: string;
  /** Ours of revived. */
  revived: string;
  /**
   * @deprecated --
   * @internal
   */
  nested: {
    /** Ours of inner. */
    inner: string;
  };
  /** Ours of the index. */
  [key: string]: unknown;
}

/** -- */
export interface B {}

/** Ours of U. */
export type U =
  /** Ours of x. */
  | "x"
  /** -- */
  | "y"
  | string;

/** Ours of V. */
export const V = "2";

/**
 * --
 *
 * @category w
 */
export type W = number;
`
	f := parsed(t, "official.ts", official)
	Adopt(f, parsed(t, "base.ts", base))
	got := Print(f)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	var marks []string
	for _, m := range Marked(parsed(t, "adopted.ts", got)) {
		marks = append(marks, strings.TrimSpace(fmt.Sprint(m.Pos.Line, " ", m.Path, " ", m.Text)))
	}
	wantMarks := []string{"1 A was: no base", "14 A.retyped was: string", "20 A.required was: string, optional", "26 A.added",
		"32 A.plain", "42 A.nested", "54 B", `61 U|"y"`, "68 W"}
	if diff := cmp.Diff(wantMarks, marks); diff != "" {
		t.Errorf("marks, -want +got:\n%s", diff)
	}
}

// Each schema is adopted from its successor's words and its own; from its own it comes back as it is.
func TestAdoptSchemas(t *testing.T) {
	var previous *File
	for _, path := range schemas(t) {
		src, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		f := parsed(t, path, string(src))
		want := Print(f)
		Adopt(f, parsed(t, path, string(src)))
		if diff := cmp.Diff(want, Print(f)); diff != "" {
			t.Errorf("%s from its own words, -want +got:\n%s", path, diff)
		}
		if previous != nil {
			format := Format(f)
			Adopt(f, previous)
			again := parsed(t, path, Print(f))
			if diff := cmp.Diff(format, Format(again)); diff != "" {
				t.Errorf("%s from the words before it has other declarations, -want +got:\n%s", path, diff)
			}
		}
		previous = parsed(t, path, string(src))
	}
}

func parsed(t *testing.T, name, src string) *File {
	t.Helper()
	f, err := Parse(name, []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	return f
}
