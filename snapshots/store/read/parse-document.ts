import type { z } from "zod";
import { unescapeFormulas } from "../../base/formulas.ts";
import { lineSpans } from "../../format/delegate-months.ts";
import { DelegateDay, DelegateItem } from "../../format/delegates.ts";
import {
  DOCUMENTS,
  type FileKind,
  type FileValues,
  identifyFile,
  type PublishedDocument,
} from "../../format/documents.ts";
import { parseJsonFile } from "./read-pointer.ts";
import { invalidFile } from "./snapshot-error.ts";

/** Parses the bytes of a file and checks each line and value by its shape; throws `SnapshotFailure`. */
export function parseDocument<Kind extends FileKind>(
  kind: Kind,
  path: string,
  bytes: Buffer,
): FileValues[Kind] {
  return parse(kind, path, bytes) as FileValues[Kind];
}

/** The documents at these paths, sorted; each value is parsed on every access and not kept. */
export function documentsAt(
  paths: readonly string[],
  bytesOf: (path: string) => Buffer,
): readonly PublishedDocument[] {
  return paths.toSorted().flatMap((path) => {
    const identity = identifyFile(path);
    if (identity === undefined) return [];
    const document = {
      ...identity,
      path,
      get value() {
        return parseDocument(identity.kind, path, bytesOf(path));
      },
    };
    return [document as PublishedDocument];
  });
}

function parse(kind: FileKind, path: string, bytes: Buffer): unknown {
  if (kind === "wholeListing") return rowsOf(bytes).map((line) => delegateOfLine(path, line));
  if (kind === "delegateDays") return rowsOf(bytes).map((line) => dayOfLine(path, line));
  const { mediaType } = DOCUMENTS[kind];
  const shape: z.ZodType = DOCUMENTS[kind].shape;
  if (mediaType !== "application/x-ndjson") return parseJsonFile(path, bytes, shape);
  const { element } = shape as z.ZodArray;
  return lineSpans(bytes).map(({ offset, bytes: length }) =>
    parseJsonFile(path, bytes.subarray(offset, offset + length), element as z.ZodType),
  );
}

/** The lines of a CSV below its header. No field holds a line break: names are cleaned of control characters. */
function rowsOf(bytes: Buffer): readonly string[] {
  const [, ...lines] = bytes.toString("utf8").trimEnd().split("\n");
  return lines;
}

/** A CSV field: quoted, with doubled quotes inside, or without quotes. */
const FIELD = /("(?:[^"]|"")*"|[^",]*)(?:,|$)/gy;

function fieldsOf(line: string): readonly string[] {
  const fields: string[] = [];
  FIELD.lastIndex = 0;
  while (FIELD.lastIndex <= line.length) {
    const match = FIELD.exec(line);
    if (match === null) return [];
    const text = match[1] ?? "";
    fields.push(text.startsWith('"') ? text.slice(1, -1).replaceAll('""', '"') : text);
    if (!match[0].endsWith(",")) break;
  }
  return fields.map(unescapeFormulas);
}

/** Parses one line of an `all.csv`; throws `SnapshotFailure` if it is no delegate. */
export function delegateOfLine(path: string, line: string): DelegateItem {
  const [rank, address, ens, displayName, votes, share, delegators, weightTier] = fieldsOf(line);
  const parsed = DelegateItem.safeParse({
    rank: Number(rank),
    address,
    ...(ens === "" ? {} : { ens }),
    display_name: displayName,
    votes_human: Number(votes),
    votes_share_pct: Number(share),
    delegators_count: Number(delegators),
    weight_tier: weightTier,
  });
  if (parsed.success) return parsed.data;
  throw invalidFile(path, "contains a line that is no delegate");
}

/** Parses one line of a `days.csv`, whose fields contain no comma or quote. */
function dayOfLine(path: string, line: string): DelegateDay {
  const [date, block, asOf, source, delegates, total] = line.split(",");
  const parsed = DelegateDay.safeParse({
    date,
    block: block === "" ? null : Number(block),
    as_of: asOf,
    source,
    delegates: Number(delegates),
    total_votes: Number(total),
  });
  if (parsed.success) return parsed.data;
  throw invalidFile(path, "contains a line that is no day");
}
