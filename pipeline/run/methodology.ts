import { METHODOLOGY } from "../score/methodology.ts";

/** Every constant of the method. */
export interface MethodologyConstants {
  readonly version: string;
  /** By dotted name, in the order of the method. */
  readonly constants: readonly { readonly name: string; readonly value: string }[];
  /** The same as a tree, for machines. */
  readonly tree: unknown;
}

function flatten(prefix: string, value: unknown): { name: string; value: string }[] {
  if (value === null || typeof value !== "object") return [{ name: prefix, value: String(value) }];
  return Object.entries(value).flatMap(([key, item]) =>
    flatten(prefix === "" ? key : `${prefix}.${key}`, item),
  );
}

/** `govdata methodology`: the constants the scorers use, straight from their file. */
export function methodologyConstants(): MethodologyConstants {
  const { version, ...rest } = METHODOLOGY;
  return { version, constants: flatten("", rest), tree: METHODOLOGY };
}
