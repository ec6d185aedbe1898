import { bareRow, type HiddenNames } from "../format/hidden-entities.ts";
import { delegateOfLine } from "./delegate-of-line.ts";
import { delegateLines } from "./render-documents.ts";

/** A whole ranking with bare rows where hidden ones stood; every other line keeps its very bytes. */
export function redactCsv(path: string, bytes: Buffer, hidden: HiddenNames): Buffer {
  const [header = "", ...lines] = bytes.toString("utf8").split("\n");
  const shown = lines.map((line) => {
    if (line === "") return line;
    const item = delegateOfLine(path, line);
    const bare = bareRow(item, hidden);
    return bare === item ? line : delegateLines([bare]).trimEnd();
  });
  return Buffer.from([header, ...shown].join("\n"), "utf8");
}
