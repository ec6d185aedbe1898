import { z } from "zod";
import { isPipelineFailure, sourceFailed } from "../../facts/errors.ts";
import type { GraphqlQuery } from "../graphql/read-answer.ts";
import { spaceOfHub } from "../upstream/hub-objects.ts";
import { isRowFailure, reject } from "../upstream/row-error.ts";
import { type HubReading, SPACE_SETTINGS } from "./ask-hub.ts";

function spaceQuery(names: readonly string[]): GraphqlQuery {
  const settings = names.map((name) => SPACE_SETTINGS[name]).join(" ");
  return {
    name: "Space",
    field: "space",
    parameters: { id: "String!" },
    selection: `id ${settings}`,
  };
}

/** Stands for a setting that the hub cannot return: no setting is a number, so that it is read as unknown. */
const UNREADABLE = 0;

/**
 * Fetches the configuration of a space. A setting that is not of its type is unknown, and reported as a rejected row.
 * Throws `SOURCE_FAILED` if the space is missing or another one.
 */
export async function fetchSpaceObject(reading: HubReading): Promise<void> {
  const { spaceId, spaceRow, sink, record } = reading;
  const object = spaceRow === undefined ? await askForSpace(reading) : settingsOf(spaceRow);
  if (object === null) {
    throw sourceFailed(`the hub has no space ${spaceId}`, {
      hint: "It was deleted, or its id in the registry is misspelt. Data fetched earlier is kept.",
    });
  }
  const file = `spaces/${spaceId}`;
  try {
    const { space, unknown } = spaceOfHub(object, spaceId);
    for (const message of unknown) reject(sink, { file }, "BAD_SHAPE", message);
    sink.put({ kind: "space", space });
  } catch (error) {
    if (!isRowFailure(error)) throw error;
    reject(sink, { file }, error.code, error.message);
    throw sourceFailed(`the hub's space ${spaceId} is invalid: ${error.message}`);
  }
  record({ kind: "space", spaceId, object });
}

/** What a request for the space alone would have brought. */
function settingsOf(row: unknown): unknown {
  const given = new Map(Object.entries(z.record(z.string(), z.unknown()).catch({}).parse(row)));
  const names = ["id", ...Object.keys(SPACE_SETTINGS)];
  return Object.fromEntries(names.flatMap((name) => (given.has(name) ? [[name, given.get(name)]] : [])));
}

/** Requests a space, again without each setting that makes the hub return nothing. */
async function askForSpace({ pages, spaceId }: HubReading): Promise<unknown> {
  const names = new Set(Object.keys(SPACE_SETTINGS));
  const unreadable = new Set<string>();
  // Each round but the last has one setting less.
  for (;;) {
    try {
      const answer = await pages.client.ask(spaceQuery([...names]), { id: spaceId });
      for (const name of answer.unreadable) unreadable.add(name);
      return marked(answer.value, unreadable);
    } catch (error) {
      const { part, status } = (isPipelineFailure(error) && error.data) || {};
      if (part !== undefined && names.delete(String(part))) {
        unreadable.add(String(part));
        continue;
      }
      // Hubs that know no forum refuse the whole query.
      if (status !== 400 || !names.delete("discussions")) throw error;
    }
  }
}

/** An object with a mark for each setting that it lacks. Defines its own properties, for the hub chooses their names. */
function marked(object: unknown, unreadable: ReadonlySet<string>): unknown {
  if (typeof object !== "object" || object === null) return object;
  const marks = [...unreadable].map((name) => [name, UNREADABLE] as const);
  return Object.fromEntries([...Object.entries(object), ...marks]);
}
