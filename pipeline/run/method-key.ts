import { createHash } from "node:crypto";
import { METHODOLOGY } from "../score/methodology.ts";

/** What the method is known by: its version, and a fingerprint of all constants, so that one changed by mistake is noticed too. */
export function methodKey(): string {
  const constants = createHash("sha256").update(JSON.stringify(METHODOLOGY)).digest("hex");
  return `${METHODOLOGY.version}+${constants.slice(0, 16)}`;
}
