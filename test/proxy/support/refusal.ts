import { expect } from "vitest";

export type Refusal = readonly [code: string, says: string, next: string];

/** A failure that an operator is told, with words of what is wrong and of what mends it. */
export const refusal = (...[code, says, next]: Refusal) =>
  expect.objectContaining({
    code,
    message: expect.stringContaining(says),
    hint: expect.stringContaining(next),
  });
