import { normalize } from "ox/Ens";
import { upstreamText } from "../../facts/upstream-text.ts";

/**
 * `name` where it is spelled as ENSIP-15 has it and may be published as it is; `undefined` otherwise. A name that
 * normalises to another one is dropped and not corrected: the reverse record claims a spelling nobody can register.
 * Emoji joined by zero-width characters fall to the second rule: published, they would be another name.
 */
export function normalName(name: string): string | undefined {
  try {
    if (name === "" || normalize(name) !== name) return undefined;
  } catch {
    return undefined;
  }
  return upstreamText(name) === name ? name : undefined;
}
