import { PipelineError } from "../../base/pipeline-error.ts";

const QUANTITY = /^0x[0-9a-fA-F]{1,14}$/;

/** A number as JSON-RPC writes it. */
export function hexQuantity(value: number): string {
  return `0x${value.toString(16)}`;
}

/** A number that a node wrote; throws `PipelineError` SOURCE_FAILED for what is none. */
export function parseQuantity(hex: unknown, what: string): number {
  const value = typeof hex === "string" && QUANTITY.test(hex) ? Number(hex) : Number.NaN;
  if (Number.isSafeInteger(value)) return value;
  throw new PipelineError("SOURCE_FAILED", `the node's ${what} is not a 0x quantity`);
}
