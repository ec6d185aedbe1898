import { answerAt, type QuotaAnswer, type QuotaRequest } from "../../proxy/quota/daily-quota.ts";
import type { QuotaFile } from "../../proxy/quota/sqlite/quota-ledger.ts";

/** Commits requests and refunds in one transaction of a counter's file; returns the results in order. */
export function commitRequests(
  file: Pick<QuotaFile, "commit">,
  requests: readonly QuotaRequest[],
  refunds: readonly Omit<QuotaRequest, "limit">[] = [],
): readonly QuotaAnswer[] {
  const groups = new Map<string, { readonly request: QuotaRequest; readonly indexes: number[] }>();
  requests.forEach((request, index) => {
    const name = `${request.day} ${request.limit} ${request.account}`;
    const group = groups.get(name) ?? { request, indexes: [] };
    group.indexes.push(index);
    groups.set(name, group);
  });
  const granted = file.commit(
    [...groups.values()].map(({ request, indexes }) => ({ ...request, units: indexes.length })),
    refunds.map((refund) => ({ ...refund, units: 1 })),
  );
  const answers: QuotaAnswer[] = [];
  [...groups.values()].forEach(({ request, indexes }, position) => {
    const units = granted[position];
    if (units === undefined) throw new Error("a request has no result");
    indexes.forEach((index, turn) => {
      answers[index] = answerAt(turn, request.limit, units);
    });
  });
  return answers;
}
