import type { z } from "zod";

/** Reads JSON that we stored ourselves; `undefined` for any other text, that of an older program too. */
export function parseStored<Shape extends z.ZodType>(
  shape: Shape,
  text: string | undefined,
): z.output<Shape> | undefined {
  if (text === undefined) return undefined;
  try {
    return shape.safeParse(JSON.parse(text)).data;
  } catch {
    // What cannot be read is asked for again.
    return undefined;
  }
}
