import { z } from "zod";

/**
 * A list of texts, at most so many. Checked as one value: zod describes every wrong element of an array, and the
 * descriptions of a million of them fill the memory.
 */
export function textList(lengthMax = Infinity) {
  return z.custom<readonly string[]>(
    (value) =>
      Array.isArray(value) && value.length <= lengthMax && value.every((item) => typeof item === "string"),
  );
}
