import { HubSpace } from "../upstream/hub-space.ts";
import { parseShape } from "../upstream/parse-shape.ts";
import { spaceOfHub } from "../upstream/space-of-hub.ts";
import { readDocument } from "./read-document.ts";
import type { ArchiveReading } from "./read-rows.ts";
import { createRowTally } from "./row-tally.ts";

/** Takes `spaces/<space_id>.json`; answers whether there is one. */
export async function fetchSpaceObject(reading: ArchiveReading, spaceId: string): Promise<boolean> {
  const file = `spaces/${spaceId}.json`;
  const document = await readDocument(reading.directory, file);
  if (document === undefined) return false;
  const tally = createRowTally(file, reading.sink);
  tally.row({ line: undefined }, () => {
    reading.sink.putSpace(spaceOfHub(parseShape(HubSpace, document.value()), spaceId));
  });
  tally.judge();
  return true;
}
