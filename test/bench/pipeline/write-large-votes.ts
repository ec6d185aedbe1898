import type { Random } from "../../../fixtures/world/random.ts";
import type { LargeDao } from "./large-world-plan.ts";

/** One proposal that is voted on. */
interface Voting {
  readonly dao: LargeDao;
  readonly id: string;
  readonly type: string;
  /** Seconds. */
  readonly start: number;
  readonly end: number;
  readonly count: number;
  readonly random: Random;
}

/** Writes the hub's vote objects, a line each, by (created, id). */
export interface VoteWriter {
  /** The address of a DAO's voter 0… in the mixed case that the hub gives. */
  addressOf(dao: LargeDao | undefined, voter: number): string;
  write(voting: Voting, out: (text: string) => void): { readonly count: number; readonly power: number };
  bytes(): number;
}

const BATCH_LINES = 1_000;
/** A tenth of the votes give a reason. */
const REASONS = [
  "gm",
  "For the long term",
  "I agree with the delegate\\u2019s note",
  'see \\"section 2\\"',
  "lgtm \\n",
];
/** In every twentieth proposal three in ten votes fall into one minute. */
const BURST_EVERY = 20;
const BURST_SHARE = 0.3;
const UPPER_HEX = "0123456789ABCDEF";
const LOWER_HEX = "0123456789abcdef";

/** A number that looks like chance and follows from `seed` alone. */
function mix(seed: number): number {
  let word = Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b);
  word = Math.imul(word ^ (word >>> 13), 0xc2b2ae35);
  return (word ^ (word >>> 16)) >>> 0;
}

function addressOfWallet(wallet: number): string {
  let text = "0x";
  for (let word = 0; word < 5; word += 1) {
    let bits = mix(wallet * 5 + word + 1);
    const cases = mix(bits ^ word);
    for (let digit = 0; digit < 8; digit += 1) {
      text += ((cases >>> digit) & 1) === 1 ? UPPER_HEX[bits & 15] : LOWER_HEX[bits & 15];
      bits >>>= 4;
    }
  }
  return text;
}

/** Distinct voters of one proposal: the first of a DAO come often, the last hardly ever. */
function chooseVoters({ dao, count, random }: Voting, lastSeen: Int32Array, mark: number): Int32Array {
  const chosen = new Int32Array(count);
  let taken = 0;
  const take = (voter: number): void => {
    if (lastSeen[voter] === mark || taken === count) return;
    lastSeen[voter] = mark;
    chosen[taken] = voter;
    taken += 1;
  };
  const farmFrom = dao.voters - dao.coordinated;
  for (let voter = farmFrom; voter < dao.voters; voter += 1) take(voter);
  while (taken < count) take(Math.floor(dao.voters * random.unit() ** 2));
  return chosen;
}

function choiceText(type: string, random: Random): string {
  const option = random.chance(0.7) ? 1 : random.whole(2, 3);
  if (type === "weighted")
    return random.chance(0.6) ? `{"${option}":1}` : `{"1":${random.whole(1, 9)},"2":${option}}`;
  if (type === "approval") return random.chance(0.5) ? `[${option}]` : "[1,2]";
  return String(option);
}

function timesOf({ start, end, count, random, dao }: Voting, mark: number): Float64Array {
  const times = new Float64Array(count);
  const burstAt = start + Math.floor((end - start) * random.unit() * 0.9);
  const bursting = mark % BURST_EVERY === 0 ? Math.floor(count * BURST_SHARE) : 0;
  for (let index = 0; index < count; index += 1) {
    const isFarm = index < dao.coordinated;
    const isBurst = isFarm || index < dao.coordinated + bursting;
    times[index] = isBurst
      ? burstAt + Math.floor(random.unit() * (isFarm ? 20 : 60))
      : start + Math.floor((end - start) * random.unit() ** 1.7);
  }
  return times;
}

/** A writer for a world of so many wallets. */
export function createVoteWriter(wallets: number): VoteWriter {
  const addresses: (string | undefined)[] = [];
  let ofDao: { readonly dao: LargeDao; readonly lastSeen: Int32Array } | undefined;
  let mark = 0;
  let bytes = 0;

  const walletOf = (dao: LargeDao, voter: number): number =>
    (dao.firstWallet + voter * dao.walletStep) % wallets;
  const addressOf = (dao: LargeDao | undefined, voter: number): string => {
    if (dao === undefined) throw new Error("large world: no such DAO");
    const wallet = walletOf(dao, voter);
    addresses[wallet] ??= addressOfWallet(wallet);
    return addresses[wallet];
  };
  return {
    addressOf,
    bytes: () => bytes,
    write(voting, out) {
      const { dao, id, type, count, random } = voting;
      if (ofDao?.dao !== dao) ofDao = { dao, lastSeen: new Int32Array(dao.voters) };
      mark += 1;
      const voters = chooseVoters(voting, ofDao.lastSeen, mark);
      const times = timesOf(voting, mark);
      const order = Uint32Array.from({ length: count }, (_, index) => index);
      order.sort((a, b) => (times[a] ?? 0) - (times[b] ?? 0) || a - b);
      const scale = 10 ** (dao.proposals % 7);
      // Of a hub no voter comes twice; an archive of somebody's own may hold a vote that was cast again.
      const repeats = Math.floor(count / 2_000);
      let power = 0;
      let text = "";
      for (let index = 0; index < count + repeats; index += 1) {
        const cast = order[Math.min(index, count - 1 - (index % Math.max(1, repeats)))] ?? 0;
        const voter = voters[cast] ?? 0;
        const vp = scale * ((mix(voter + dao.firstWallet) + 1) / 2 ** 32) ** -0.8;
        if (index < count) power += vp;
        const choice = cast < dao.coordinated ? choiceText(type, ALIKE) : choiceText(type, random);
        const reason = random.chance(0.1) ? random.pick(REASONS) : "";
        text += `{"id":"0x${random.hex(64)}","voter":"${addressOf(dao, voter)}","created":${times[cast] ?? 0},"choice":${choice},"vp":${vp},"vp_state":"final","reason":"${reason}","proposal":{"id":"${id}"}}\n`;
        if (index % BATCH_LINES === BATCH_LINES - 1) {
          bytes += text.length;
          out(text);
          text = "";
        }
      }
      bytes += text.length;
      out(text);
      return { count, power };
    },
  };
}

/** Draws that are always the same: what a farm votes. */
const ALIKE: Random = {
  unit: () => 0,
  whole: (from) => from,
  chance: () => true,
  pick: ([first]) => {
    if (first === undefined) throw new Error("large world: nothing to pick from");
    return first;
  },
  hex: (digits) => "0".repeat(digits),
  shuffle: (items) => [...items],
  fork: () => ALIKE,
};
