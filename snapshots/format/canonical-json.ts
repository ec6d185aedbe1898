import { createHash } from "node:crypto";
import type { z } from "zod";
import {
  type $ZodCheck,
  type $ZodChecks,
  type $ZodObject,
  type $ZodType,
  type $ZodTypes,
  type ParsePayload,
  safeParse,
} from "zod/v4/core";

/** The shape of a document, whatever it is of. */
export type DocumentShape = z.ZodType;

/** Whether a value is spelled as its shape would spell it. */
type IsCanonical = (value: unknown) => boolean;

const spelling = (value: unknown): string | undefined => JSON.stringify(value);

/** The whole truth, and slow: what zod makes of the value spells the same JSON. */
function byParsing(shape: $ZodType): IsCanonical {
  return (value) => {
    const parsed = safeParse(shape, value);
    return parsed.success && spelling(parsed.data) === spelling(value);
  };
}

/** One rule as zod asks it, of any kind. */
function byAsking(check: $ZodCheck<unknown>): IsCanonical {
  // One for all values: rules are asked millions of times, and none keeps what it was asked with.
  const payload: ParsePayload = { value: undefined, issues: [] };
  return (value) => {
    payload.value = value;
    // A rule that answers later, or that changes the value, is left to zod.
    const isSettled = check._zod.check(payload) === undefined && payload.value === value;
    if (isSettled && payload.issues.length === 0) return true;
    payload.issues = [];
    return false;
  };
}

/** Formats that are nothing but their pattern. */
const PATTERNS: ReadonlySet<string> = new Set(["regex", "date", "datetime"]);

/** The rules of which documents have millions, asked without zod in between; they say the same. */
function ruleOf(check: $ZodCheck<unknown>): IsCanonical {
  const { def } = check._zod as
    | $ZodChecks["_zod"]
    | { readonly def: { readonly check: "custom"; fn: unknown } };
  switch (def.check) {
    case "greater_than":
    case "less_than": {
      const { value: limit, inclusive } = def;
      if (typeof limit !== "number") return byAsking(check);
      const sign = def.check === "less_than" ? -1 : 1;
      return (value) => {
        const above = sign * ((value as number) - limit);
        return above > 0 || (inclusive && above === 0);
      };
    }
    case "number_format":
      return def.format === "safeint" ? Number.isSafeInteger : byAsking(check);
    case "string_format": {
      const { pattern } = def;
      if (pattern === undefined || pattern.global || pattern.sticky || !PATTERNS.has(def.format)) {
        return byAsking(check);
      }
      return (value) => pattern.test(value as string);
    }
    case "custom": {
      const { fn } = def;
      return typeof fn === "function" ? (value) => fn(value) === true : byAsking(check);
    }
    default:
      return byAsking(check);
  }
}

/** Zod's own rules for one value of the right type, asked one after the other. */
function checksOf(shape: $ZodTypes): IsCanonical {
  const checks = [...(shape._zod.def.checks ?? [])] as $ZodCheck<unknown>[];
  // A shape with a format of its own (`z.int()`) is itself the first of its rules.
  if (shape._zod.traits.has("$ZodCheck")) checks.unshift(shape as unknown as $ZodCheck<unknown>);
  const rules = checks.map(ruleOf);
  const [first, second, third] = rules;
  if (first === undefined) return () => true;
  if (second === undefined) return first;
  if (third === undefined) return (value) => first(value) && second(value);
  if (rules.length === 3) return (value) => first(value) && second(value) && third(value);
  return (value) => rules.every((rule) => rule(value));
}

interface Field {
  readonly key: string;
  readonly isOptional: boolean;
  readonly isCanonical: IsCanonical;
}

function fieldsOf({ _zod: { def } }: $ZodObject): readonly Field[] {
  return Object.entries(def.shape).map(([key, field]) => {
    const { def: own } = (field as $ZodTypes)._zod;
    // An optional field that is there must be what it is optional of: `undefined` is left to zod.
    return own.type === "optional"
      ? { key, isOptional: true, isCanonical: testOf(own.innerType) }
      : { key, isOptional: false, isCanonical: testOf(field) };
  });
}

/** A plain object with exactly the fields of a strict shape, in its order. */
function objectTest(shape: $ZodObject): IsCanonical {
  const fields = fieldsOf(shape);
  const passes = checksOf(shape as $ZodTypes);
  return (value) => {
    if (typeof value !== "object" || value === null) return false;
    if (Object.getPrototypeOf(value) !== Object.prototype) return false;
    let place = 0;
    for (const key in value) {
      let field = fields[place];
      while (field?.isOptional === true && field.key !== key) field = fields[++place];
      if (field === undefined || field.key !== key) return false;
      if (!field.isCanonical((value as Readonly<Record<string, unknown>>)[key])) return false;
      place += 1;
    }
    while (fields[place]?.isOptional === true) place += 1;
    return place === fields.length && passes(value);
  };
}

function arrayTest(element: IsCanonical, passes: IsCanonical): IsCanonical {
  return (value) => {
    if (!Array.isArray(value)) return false;
    // Not `every`, which passes over holes.
    for (let place = 0; place < value.length; place += 1) if (!element(value[place])) return false;
    return passes(value);
  };
}

/** The kinds of shape that documents are mostly made of; any other is asked of zod, value by value. */
function makeTest(shape: $ZodTypes): IsCanonical {
  const { def } = shape._zod;
  const isCoerced = "coerce" in def && def.coerce === true;
  if (isCoerced) return byParsing(shape);
  const passes = checksOf(shape);
  switch (def.type) {
    case "string":
      return (value) => typeof value === "string" && passes(value);
    case "number":
      return (value) => typeof value === "number" && Number.isFinite(value) && passes(value);
    case "boolean":
      return (value) => typeof value === "boolean" && passes(value);
    case "enum": {
      const values: ReadonlySet<unknown> = new Set(shape._zod.values);
      return (value) => values.has(value) && passes(value);
    }
    case "nullable": {
      const inner = testOf(def.innerType);
      return (value) => (value === null || inner(value)) && passes(value);
    }
    case "array":
      return arrayTest(testOf(def.element), passes);
    case "object": {
      const isStrict = (def.catchall as $ZodTypes | undefined)?._zod.def.type === "never";
      return isStrict ? objectTest(shape as $ZodObject) : byParsing(shape);
    }
    default:
      return byParsing(shape);
  }
}

const tests = new WeakMap<$ZodType, IsCanonical>();

function testOf(shape: $ZodType): IsCanonical {
  const known = tests.get(shape);
  if (known !== undefined) return known;
  const test = makeTest(shape as $ZodTypes);
  tests.set(shape, test);
  return test;
}

/**
 * Whether a value already is what its shape would make of it: every rule of zod's holds, keys stand in the shape's order,
 * and nothing is there beside them. Then `JSON.stringify` of it gives the canonical bytes. Five times faster than parsing.
 */
export function isCanonical(shape: DocumentShape, value: unknown): boolean {
  return testOf(shape)(value);
}

/** What a shape makes of a value: the very same object where it is canonical already. Throws `ZodError`. */
export function canonicalValue<Shape extends z.ZodType>(shape: Shape, value: unknown): z.output<Shape> {
  return isCanonical(shape, value) ? (value as z.output<Shape>) : shape.parse(value);
}

/**
 * The one way a document becomes bytes: parsed by its shape (which also puts keys in the shape's
 * order), then compact JSON, UTF-8, final newline. Throws `ZodError` where the shape does not hold.
 */
export function encodeCanonical<Shape extends z.ZodType>(shape: Shape, value: z.input<Shape>): Buffer {
  return Buffer.from(`${JSON.stringify(canonicalValue(shape, value))}\n`, "utf8");
}

/** Many documents of one shape as lines, each canonical; no line, no byte. */
export function encodeLines<Shape extends z.ZodType>(
  shape: Shape,
  values: readonly z.input<Shape>[],
): Buffer {
  const lines = values.map((value) => `${JSON.stringify(canonicalValue(shape, value))}\n`);
  return Buffer.from(lines.join(""), "utf8");
}

/** SHA-256 of bytes, as 64 lower-case hex digits. */
export function sha256Hex(bytes: Uint8Array | string): string {
  return createHash("sha256").update(bytes).digest("hex");
}

/**
 * JSON with keys sorted at every depth: equal values give equal text, whatever order they came in.
 * For comparing upstream configuration (strategies), not for publishing.
 */
export function sortedJson(value: unknown): string {
  if (value === null || typeof value !== "object") return JSON.stringify(value) ?? "null";
  if (Array.isArray(value)) return `[${value.map(sortedJson).join(",")}]`;
  const entries = Object.entries(value)
    .filter(([, item]) => item !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  return `{${entries.map(([key, item]) => `${JSON.stringify(key)}:${sortedJson(item)}`).join(",")}}`;
}
