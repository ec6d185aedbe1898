import fc from "fast-check";
import type { Moment, Proposal } from "../../../pipeline/facts/proposal.ts";
import {
  ADDRESS_WORDS,
  addressText,
  createVoterTable,
  type VoterList,
} from "../../../pipeline/facts/voters.ts";
import { proposal } from "../warehouse/sample-facts.ts";

const hex = (length: number) =>
  fc.string({ unit: fc.constantFrom(..."0123456789abcdef"), minLength: length, maxLength: length });

/** Any address of either length; many of them differ in little, as those do that a person mines. */
export const arbitraryAddress: fc.Arbitrary<string> = fc.oneof(
  hex(40).map((digits) => `0x${digits}`),
  hex(64).map((digits) => `0x${digits}`),
  fc.nat(20).map((n) => `0x${n.toString(16).padStart(40, "0")}`),
  fc.nat(20).map((n) => `0x${n.toString(16).padEnd(64, "0")}`),
  fc.nat(20).map((n) => `0x${n.toString(16).padStart(64, "0")}`),
);

/** One address of a list as text. */
export function addressAt({ words, isLong }: VoterList, index: number): string {
  return addressText(words, index * ADDRESS_WORDS, isLong[index] === 1);
}

/** Distinct addresses as a list. */
export function voterListOf(addresses: Iterable<string>): VoterList {
  const table = createVoterTable(7);
  for (const address of addresses) table.internText(address);
  return table.list();
}

/** When the sample vote begins. */
export const SAMPLE_START_S = 1_650_000_000;

/** A moment known to the second. */
export const second = (atS: number): Moment => ({ atMs: atS * 1000, precision: "second" });

/** A single-choice proposal with three options whose vote lasts 100,000 seconds. */
export function sampleProposal(change: Partial<Proposal> = {}): Proposal {
  return proposal("0xabc", {
    title: "Sample",
    start: second(SAMPLE_START_S),
    end: second(SAMPLE_START_S + 100_000),
    votingType: "single-choice",
    choicesCount: 3,
    state: "closed",
    scoresState: "final",
    ...change,
  });
}
