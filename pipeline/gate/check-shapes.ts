import { isCanonical } from "../../snapshots/format/canonical-value.ts";
import { MethodologyVersion, Timestamp } from "../../snapshots/format/ids.ts";
import type { PublishedSet } from "../../snapshots/format/published-set.ts";
import type { GateFinding } from "./gate-finding.ts";
import { type PublishedDocument, publishedDocuments } from "./published-documents.ts";

/** Every document parses under its shape, so every number is finite and in its range. Answers all problems, not the first. */
export function checkShapes(set: PublishedSet): readonly GateFinding[] {
  const documents: readonly PublishedDocument[] = [
    { path: "as_of", shape: Timestamp, value: set.asOf },
    { path: "methodology_version", shape: MethodologyVersion, value: set.methodologyVersion },
    ...publishedDocuments(set),
  ];
  return documents.flatMap(({ path, shape, value }) => {
    if (isCanonical(shape, value)) return [];
    const parsed = shape.safeParse(value);
    if (parsed.success) return [];
    return parsed.error.issues.map((issue): GateFinding => {
      const place = [path, ...issue.path.map(String)].join(" ");
      return { code: "SHAPE_INVALID", severity: "refuse", message: `${place}: ${issue.message}` };
    });
  });
}
