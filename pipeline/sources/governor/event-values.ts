import * as AbiParameters from "ox/AbiParameters";
import type { Hex } from "ox/Hex";
import type { z } from "zod";
import type { ChainLog } from "../upstream/chain-log.ts";
import { RowError } from "../upstream/row-error.ts";

/** The types of an event's values that we read. */
export type EventType = "address" | "uint256" | "uint64" | "uint8" | "bool" | "string" | "bytes";

const HEX = /^0x(?:[0-9a-fA-F]{2})*$/;

/**
 * The values of an event in the order of its signature. How many of the first ones are indexed differs between
 * contracts of one signature, so the log's own topics tell. Throws `RowError` LOG_MALFORMED.
 */
export function eventValues<Shape extends z.ZodType>(
  log: ChainLog,
  types: readonly EventType[],
  shape: Shape,
): z.output<Shape> {
  const indexed = log.topics.slice(1);
  const isText = types.slice(0, indexed.length).some((type) => type === "string" || type === "bytes");
  const isHex = [...indexed, log.data].every((hex) => HEX.test(hex));
  // An indexed text is only its hash.
  if (isText || !isHex || indexed.length > types.length) throw malformed();
  const parsed = shape.safeParse([
    ...indexed.flatMap((topic, place) => decode(types.slice(place, place + 1), topic)),
    ...decode(types.slice(indexed.length), log.data),
  ]);
  if (parsed.success) return parsed.data;
  throw malformed();
}

function decode(types: readonly EventType[], data: string): readonly unknown[] {
  const hex: Hex = `0x${data.slice(2)}`;
  if (types.length === 0) return [];
  try {
    return AbiParameters.decode(
      types.map((type) => ({ type })),
      hex,
    );
  } catch {
    // Whatever the decoder says of bytes that somebody else wrote, it is one and the same to us.
    throw malformed();
  }
}

function malformed(): RowError {
  return new RowError("LOG_MALFORMED", "topics or data do not fit the event");
}
