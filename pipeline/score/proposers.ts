import type { MemberMeasures } from "./measures.ts";
import { METHODOLOGY } from "./methodology.ts";
import { effectiveNumber } from "./weighted-statistics.ts";

/**
 * Effective number of proposers (entities merged), by their shares of ω; `undefined` where no author is known. Who
 * proposed what stays here: a number per proposal would tell a reader which wallets are one entity.
 */
export function effectiveProposers(
  proposals: readonly { readonly author: string | undefined; readonly attention: number }[],
  headOfAuthor: (author: string) => string,
): number | undefined {
  const attentionOf = new Map<string, number>();
  for (const { author, attention } of proposals) {
    if (author === undefined) continue;
    const head = headOfAuthor(author);
    attentionOf.set(head, (attentionOf.get(head) ?? 0) + attention);
  }
  if (attentionOf.size === 0) return undefined;
  return effectiveNumber([...attentionOf.values()].sort((a, b) => a - b));
}

/** Where effective proposers lie on a logarithmic scale that few proposals shorten; `undefined` with fewer than two effective proposals of known authors. */
export function proposerPosition(
  effective: number | undefined,
  members: readonly Pick<MemberMeasures, "attention" | "hasAuthor">[],
): number | undefined {
  if (effective === undefined) return undefined;
  const known = members.filter((member) => member.hasAuthor);
  const proposals = effectiveNumber(known.map((member) => member.attention));
  if (proposals < 2) return undefined;
  return Math.log(effective) / Math.log(Math.min(METHODOLOGY.process.fullMarksProposers, proposals));
}
