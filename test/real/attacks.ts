/** A vote as an archive has it; what else it holds is copied along. */
export interface ArchivedVote {
  readonly proposal: string;
  readonly voter: string;
  readonly created?: number | null;
  readonly choice: unknown;
  readonly vp: number;
  readonly reason?: string;
}

/** A proposal as an archive has it, likewise. */
export interface ArchivedProposal {
  readonly id: string;
  readonly author?: string;
  readonly created?: number | null;
  readonly start?: number | null;
  readonly end?: number | null;
  readonly start_date?: string;
  readonly end_date?: string;
  readonly scores_total?: number;
  readonly votes?: number;
  readonly strategies?: readonly unknown[];
  readonly type?: string;
  readonly choices?: readonly string[] | undefined;
  readonly discussion?: string | null;
  readonly quorum?: number | null;
}

/** A DAO of an archive, as of its own last day. */
export interface ArchivedDao {
  readonly spaceId: string;
  readonly asOfMs: number;
  readonly proposals: readonly ArchivedProposal[];
  readonly votes: ReadonlyMap<string, readonly ArchivedVote[]>;
  /** The ballots of the frame, by the time of their end. */
  readonly framed: readonly string[];
  /** Wallets that the registry names as one organisation each. */
  readonly labelled?: readonly string[];
}

/** Somebody's try to move a score; it changes a copy of a DAO. */
export type Attack = (dao: ArchivedDao, random: () => number) => ArchivedDao;

const DAY_S = 86_400;
const powerOf = (votes: readonly ArchivedVote[]): number => votes.reduce((sum, { vp }) => sum + vp, 0);
const wallet = (kind: string, number: number): string =>
  `0x${kind}${number.toString(16).padStart(40 - kind.length, "0")}`;

/** Other votes on ballots of the frame, whose proposals declare what was cast on them. */
function recast(
  dao: ArchivedDao,
  ballots: readonly string[],
  change: (votes: readonly ArchivedVote[], power: number) => readonly ArchivedVote[],
): ArchivedDao {
  const votes = new Map(dao.votes);
  const added = new Map<string, { readonly power: number; readonly count: number }>();
  for (const id of ballots) {
    const before = dao.votes.get(id) ?? [];
    const power = powerOf(before);
    const after = change(before, power);
    votes.set(id, after);
    added.set(id, { power: powerOf(after) - power, count: after.length - before.length });
  }
  const proposals = dao.proposals.map((proposal) => {
    const more = added.get(proposal.id);
    const { scores_total: total, votes: count } = proposal;
    if (more === undefined) return proposal;
    return {
      ...proposal,
      ...(total === undefined ? {} : { scores_total: total + more.power }),
      ...(count === undefined ? {} : { votes: count + more.count }),
    };
  });
  return { ...dao, proposals, votes };
}

/** A time of the ballot's own votes: where they have none a vote has none. */
function someTime(votes: readonly ArchivedVote[], random: () => number): ArchivedVote["created"] {
  return votes[Math.floor(votes.length * random())]?.created;
}

/** New wallets on every ballot of the frame (or the last ones of it), each with a part of the power cast there. */
export function crowd(options: {
  readonly wallets: number;
  readonly share: number;
  readonly cast?: "any time" | "one minute";
  /** Every so many-th gives a reason. */
  readonly reasonEvery?: number;
  readonly lastBallots?: number;
}): Attack {
  const { wallets, share, cast = "any time", reasonEvery, lastBallots } = options;
  return (dao, random) =>
    recast(dao, lastBallots === undefined ? dao.framed : dao.framed.slice(-lastBallots), (votes, power) => {
      const [first] = votes;
      if (first === undefined) return votes;
      const minute = someTime(votes, random);
      const joined = Array.from({ length: wallets }, (_, number): ArchivedVote => {
        const created = cast === "any time" ? someTime(votes, random) : minute;
        const reason = reasonEvery !== undefined && number % reasonEvery === 0 ? "yes" : "";
        const vote = { ...first, voter: wallet("c0", number), vp: power * share };
        const timed = created === undefined || created === null ? vote : { ...vote, created };
        return "reason" in first || reasonEvery !== undefined ? { ...timed, reason } : timed;
      });
      return [...votes, ...joined];
    });
}

/** Wallets of next to no power that vote what the largest ten voters of a ballot vote, when they do. */
export function copyWhales(wallets: number, share: number): Attack {
  return (dao) =>
    recast(dao, dao.framed, (votes, power) => {
      const whales = votes.toSorted((a, b) => b.vp - a.vp).slice(0, 10);
      const copies = Array.from({ length: wallets }, (_, number) => {
        const whale = whales[number % whales.length];
        return whale === undefined ? [] : [{ ...whale, voter: wallet("d0", number), vp: power * share }];
      });
      return [...votes, ...copies.flat()];
    });
}

/** The largest voters of the frame, by the sum of their shares. */
function largestVoters({ framed, votes }: ArchivedDao, count: number): readonly string[] {
  const sizes = new Map<string, number>();
  for (const id of framed) {
    const ballot = votes.get(id) ?? [];
    const power = powerOf(ballot);
    for (const { voter, vp } of ballot) {
      const key = voter.toLowerCase();
      sizes.set(key, (sizes.get(key) ?? 0) + vp / power);
    }
  }
  return [...sizes]
    .sort((a, b) => b[1] - a[1])
    .slice(0, count)
    .map(([voter]) => voter);
}

const largestVoter = (dao: ArchivedDao): string => largestVoters(dao, 1)[0] ?? "";

/** The largest voter as so many wallets of equal power, of which each may skip a vote or dissent in it, or so many vote by turns. */
export function splitWhale(
  pieces: number,
  {
    skips = 0,
    dissents = 0,
    everyS = 0,
    turns = pieces,
  }: { skips?: number; dissents?: number; everyS?: number; turns?: number } = {},
): Attack {
  return (dao, random) => {
    const whale = largestVoter(dao);
    let next = 0;
    return recast(dao, dao.framed, (votes) => {
      const whaleVote = votes.find(({ voter }) => voter.toLowerCase() === whale);
      if (whaleVote === undefined) return votes;
      const others = votes.filter((vote) => vote !== whaleVote);
      const otherChoice =
        others.find(({ choice }) => choice !== whaleVote.choice)?.choice ?? whaleVote.choice;
      const split = Array.from({ length: pieces }, (_, piece): ArchivedVote => {
        const choice = random() < dissents ? otherChoice : whaleVote.choice;
        const later =
          typeof whaleVote.created === "number" ? { created: whaleVote.created - piece * everyS } : {};
        return { ...whaleVote, ...later, voter: wallet("e0", piece), choice, vp: whaleVote.vp / pieces };
      });
      const first = next;
      next = (next + turns) % pieces;
      const isNext = (piece: number): boolean => (piece - first + pieces) % pieces < turns;
      return [...others, ...split.filter((_, piece) => isNext(piece) && random() >= skips)];
    });
  };
}

/** What half of the power on the fifty largest ballots of the frame was cast up to. */
function usualPower({ framed, votes, proposals }: ArchivedDao): number {
  const declared = new Map(proposals.map(({ id, scores_total: total }) => [id, total]));
  const powers = framed.map((id) => declared.get(id) ?? powerOf(votes.get(id) ?? []));
  const largest = powers.sort((a, b) => b - a).slice(0, 50);
  const whole = largest.reduce((sum, power) => sum + power, 0);
  let sum = 0;
  for (const power of largest) {
    sum += power;
    if (sum >= whole / 2) return power;
  }
  return 0;
}

const dateOf = (seconds: number): string => new Date(seconds * 1000).toISOString().slice(0, 10);

/** The times of a proposal that ended then: to the second or to the day, as another of the archive has them. */
function timesOf(template: ArchivedProposal, endS: number): Partial<ArchivedProposal> {
  const startS = endS - 5 * DAY_S;
  if (typeof template.end !== "number") return { start_date: dateOf(startS), end_date: dateOf(endS) };
  return { created: startS - 2 * DAY_S, start: startS, end: endS };
}

/** A choice that may name several options. */
type WeightsOf = (weight: number, piece: number, random: () => number) => Readonly<Record<number, number>>;

/** The same DAO with weighted votes, and its largest voter as so many wallets that choose otherwise. */
export function weightedWhale(pieces: number, weightsOf: WeightsOf): Attack {
  return (dao, random) => {
    const whale = largestVoter(dao);
    const optionOf = (choice: unknown): number => (typeof choice === "number" ? choice : 1);
    const weighted = {
      ...dao,
      proposals: dao.proposals.map((proposal) => ({ ...proposal, type: "weighted" })),
      votes: new Map(
        [...dao.votes].map(([id, votes]) => [
          id,
          votes.map((vote) => ({ ...vote, choice: { [optionOf(vote.choice)]: 1 } })),
        ]),
      ),
    };
    return recast(weighted, dao.framed, (votes) => {
      const whaleVote = votes.find(({ voter }) => voter.toLowerCase() === whale);
      if (whaleVote === undefined || pieces === 1) return votes;
      const [option = "1"] = Object.keys(whaleVote.choice as object);
      const split = Array.from(
        { length: pieces },
        (_, piece): ArchivedVote => ({
          ...whaleVote,
          voter: wallet("e0", piece),
          choice: weightsOf(Number(option), piece, random),
          vp: whaleVote.vp / pieces,
        }),
      );
      return [...votes.filter((vote) => vote !== whaleVote), ...split];
    });
  };
}

/** The same DAO with basic votes, in which nobody abstains but, if wanted, its largest voter in place of following. */
export function basicVotes(isWhaleAbstaining: boolean): Attack {
  return (dao) => {
    const whale = largestVoter(dao);
    const votes = [...dao.votes].map(([id, cast]) => {
      const powers = new Map<unknown, number>();
      const basic = cast.map((vote) => ({ ...vote, choice: vote.choice === 2 ? 2 : 1 }));
      for (const { choice, vp } of basic) powers.set(choice, (powers.get(choice) ?? 0) + vp);
      const leading = (powers.get(2) ?? 0) > (powers.get(1) ?? 0) ? 2 : 1;
      const isFollowing = ({ voter, choice }: ArchivedVote): boolean =>
        isWhaleAbstaining && voter.toLowerCase() === whale && choice === leading;
      return [id, basic.map((vote) => (isFollowing(vote) ? { ...vote, choice: 3 } : vote))] as const;
    });
    const proposals = dao.proposals.map((proposal) => ({ ...proposal, type: "basic", choices: undefined }));
    return { ...dao, proposals, votes: new Map(votes) };
  };
}

/** When a proposal ended, in seconds. */
function endOf(proposal: ArchivedProposal | undefined): number {
  if (typeof proposal?.end === "number") return proposal.end;
  return Date.parse(`${proposal?.end_date ?? "1970-01-01"}T23:59:59Z`) / 1000;
}

/** Proposals of the attacker's own, ended in the last half year, each with so many wallets and a part of the usual power. */
export function ownProposals(options: {
  readonly count: number;
  readonly authors: number;
  readonly wallets: number;
  readonly power: number;
  /** The voting strategies of a proposal, by its number; by default the DAO's own. */
  readonly strategiesOf?: (number: number) => readonly unknown[];
  /** Ended after the DAO's third ballot. */
  readonly isAfterThird?: boolean;
  /** Days after the DAO's own last day instead. */
  readonly daysLater?: number;
  /** The first of them ended before all whose votes are known. */
  readonly isFirst?: boolean;
  /** So many of the wallets are the DAO's largest voters. */
  readonly insiders?: number;
}): Attack {
  const { count, authors, wallets, power, strategiesOf, isAfterThird, daysLater, isFirst, insiders } =
    options;
  return (dao, random) => {
    const lastId = dao.framed.at(-1) ?? "";
    const template = dao.proposals.find(({ id }) => id === lastId);
    const vote = dao.votes.get(lastId)?.[0];
    if (template === undefined || vote === undefined) throw new Error("nothing to copy");
    const usual = usualPower(dao);
    const votes = new Map(dao.votes);
    const thirdS = endOf(dao.proposals.find(({ id }) => id === dao.framed[2]));
    const spanS = isAfterThird ? Math.min(170 * DAY_S, dao.asOfMs / 1000 - thirdS - DAY_S) : 170 * DAY_S;
    const known = largestVoters(dao, insiders ?? 0);
    const beginS = Math.min(...dao.proposals.filter(({ id }) => dao.votes.has(id)).map(endOf));
    const junk = Array.from({ length: count }, (_, number): ArchivedProposal => {
      const agoS = daysLater === undefined ? spanS * random() : -daysLater * DAY_S;
      const lateS = Math.floor(dao.asOfMs / 1000 - agoS) - DAY_S / 2;
      const endS = isFirst && number === 0 ? beginS - 30 * DAY_S : lateS;
      const id = `0x${(number + 1).toString(16).padStart(64, "0")}`;
      const total = usual * power;
      const created = typeof vote.created === "number" ? endS - DAY_S : vote.created;
      votes.set(
        id,
        Array.from({ length: wallets }, (_, voter) => ({
          ...vote,
          ...(created === undefined ? {} : { created }),
          ...("created_date" in vote ? { created_date: dateOf(endS) } : {}),
          proposal: id,
          voter: known[voter] ?? wallet("f0", voter),
          choice: 1,
          vp: total / wallets,
        })),
      );
      const author = wallet("fa", number % authors);
      const attackVotes = { ...template, ...timesOf(template, endS), id, author };
      return {
        ...attackVotes,
        scores_total: total,
        votes: wallets,
        ...(strategiesOf ? { strategies: strategiesOf(number) } : {}),
      };
    });
    return { ...dao, proposals: [...dao.proposals, ...junk], votes };
  };
}

/** Each proposal links to something, and each vote has a dot as its reason. */
export const linksAndDots: Attack = (dao) => ({
  ...dao,
  proposals: dao.proposals.map((proposal) => ({ ...proposal, discussion: "https://example.org/" })),
  votes: new Map([...dao.votes].map(([id, votes]) => [id, votes.map((vote) => ({ ...vote, reason: "." }))])),
});

/** Each proposal has a quorum of so much of the usual power. */
export function lowQuorum(share: number): Attack {
  return (dao) => {
    const quorum = share * usualPower(dao);
    return { ...dao, proposals: dao.proposals.map((proposal) => ({ ...proposal, quorum })) };
  };
}

/** The registry takes each of the largest voter's pieces for an organisation of its own. */
export function labelledPieces(pieces: number): Attack {
  return (dao) => ({ ...dao, labelled: Array.from({ length: pieces }, (_, piece) => wallet("e0", piece)) });
}

/** The same DAO from a source that does not tell a field of its proposals, or of its votes. */
export function without(table: "proposals" | "votes", ...fields: readonly string[]): Attack {
  const cut = <Row extends object>(row: Row): Row =>
    Object.fromEntries(Object.entries(row).filter(([key]) => !fields.includes(key))) as Row;
  return (dao) =>
    table === "proposals"
      ? { ...dao, proposals: dao.proposals.map(cut) }
      : { ...dao, votes: new Map([...dao.votes].map(([id, votes]) => [id, votes.map(cut)])) };
}

/** Nothing is done, and it is some days later. */
export function later(days: number): Attack {
  return (dao) => ({ ...dao, asOfMs: dao.asOfMs + days * DAY_S * 1000 });
}

/** One after the other. */
export function both(first: Attack, second: Attack): Attack {
  return (dao, random) => second(first(dao, random), random);
}
