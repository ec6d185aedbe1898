import type { z } from "zod";
import { RowError } from "./row-error.ts";

/** A value in the shape it should have; throws `RowError` BAD_SHAPE that names the field and never its content. */
export function parseShape<Shape extends z.ZodType>(shape: Shape, value: unknown): z.output<Shape> {
  const parsed = shape.safeParse(value);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  // Paths are ours as far as the shape goes; what lies below may be a key that somebody chose.
  const field = issue?.path.slice(0, 1).map(String).join("") ?? "";
  throw new RowError(
    "BAD_SHAPE",
    field === "" ? "it is not such an object" : `${field} is missing or of a wrong type`,
  );
}
