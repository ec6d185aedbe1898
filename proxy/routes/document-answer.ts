import type { DocumentKind } from "../../snapshots/format/envelope.ts";
import type { SnapshotReader } from "../../snapshots/store/read/snapshot-reader.ts";
import { type Answer, problem } from "../request/answer.ts";
import type { Problem } from "../request/problems.ts";

/** A ready document of the snapshot as an answer, or `absent` where there is none. Entities are kept by nobody. */
export function documentAnswer(
  snapshot: SnapshotReader,
  kind: DocumentKind,
  id: string,
  absent: Problem,
): Answer {
  const document = snapshot.document(kind, id);
  if (document === undefined) return problem(absent);
  return {
    kind: "body",
    encode: (encoding) => (encoding === "br" ? document.brotli : document[encoding]),
    mayBeKept: kind !== "entity",
    snapshotVersion: snapshot.version,
  };
}
