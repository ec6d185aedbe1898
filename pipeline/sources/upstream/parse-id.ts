import { RowError } from "./row-error.ts";

/** `0x…`, `Qm…`, `bafk…` or a number of a contract: anything that needs no escaping anywhere. */
const ID = /^[0-9A-Za-z][0-9A-Za-z._:-]{0,127}$/;

/** The id of a proposal or vote as its source spells it. Throws `RowError` for one that nobody should have to quote. */
export function parseId(id: string, what: string): string {
  if (ID.test(id)) return id;
  throw new RowError("ID_INVALID", `${what} is not 1 to 128 letters, digits, dots, dashes, colons`);
}
