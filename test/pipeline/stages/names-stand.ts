import type { DaoFacts, NameCache } from "../../../pipeline/facts/dao-facts.ts";
import type { Registry } from "../../../pipeline/facts/tracked.ts";
import { askRegistry } from "../../../pipeline/sources/ens/look-up-names.ts";
import { fetchNames, type NamesInput } from "../../../pipeline/stages/fetch-names.ts";
import { dayOf } from "../../../snapshots/format/ids.ts";
import { walletOf } from "../documents/scored-daos.ts";
import { sampleDao, T } from "../score/sample-facts.ts";
import { addressAnswer, fakeEns, textAnswer } from "../sources/ens/fake-ens.ts";
import { createMemoryNameCache } from "../sources/ens/memory-name-cache.ts";

/** A registry that says nothing. */
export const NOBODY: Registry = { daos: [], entities: [] };
/** The name of a wallet of the fake ENS. */
export const nameOf = (wallet: number) => `voter-${wallet}.eth`;

/** A delegate of a list: its wallet, its power, and the name that the list gives it. */
export type Listed = readonly [wallet: number | string, votes: number, ens?: string];

/** Facts with one list of delegates, of the moment of the tests. */
export function factsOf(spaceId: string, listed: readonly Listed[]): DaoFacts {
  const dao = { ...sampleDao().dao, spaceId };
  const delegates = listed.map(([wallet, votes, ens]) => ({
    address: typeof wallet === "string" ? wallet : walletOf(wallet),
    votes: BigInt(votes),
    delegatorsCount: 1,
    ens,
  }));
  const list = {
    spaceId,
    date: dayOf(T),
    asOfMs: T,
    isComplete: true,
    decimals: 0,
    fetchedAtMs: T,
    delegates,
  };
  return sampleDao({ dao, delegateLists: [list] });
}

/** An ENS in which wallets up to 10 have a name, and runs that ask about these DAOs; an error is a DAO that cannot be read. */
export function stand(daos: readonly (DaoFacts | Error)[], cache: NameCache = createMemoryNameCache()) {
  const ens = fakeEns();
  for (let wallet = 1; wallet <= 10; wallet += 1) {
    ens.reverse(walletOf(wallet), textAnswer(nameOf(wallet)));
    ens.forward(nameOf(wallet), addressAnswer(walletOf(wallet)));
  }
  const said: string[] = [];
  const delegates = daos
    .flatMap((dao) => (dao instanceof Error ? [] : dao.delegateLists))
    .flatMap((list) => list.delegates);
  const wallets = new Map(
    delegates.map(({ address }) => [askRegistry(`${address.slice(2)}.addr.reverse`).data as string, address]),
  );
  /** The addresses whose reverse records were asked for, in order. */
  const asked: string[] = [];
  const reader = {
    ...ens.reader,
    read(reads: Parameters<typeof ens.reader.read>[0]) {
      asked.push(...reads.flatMap(({ data }) => wallets.get(data) ?? []));
      return ens.reader.read(reads);
    },
  };
  const input: NamesInput = {
    daos: daos.map((_, index) => ({ ...sampleDao().dao, spaceId: String(index) })),
    registry: NOBODY,
    warehouse: {
      names: cache,
      daoFacts({ spaceId }) {
        const facts = daos[Number(spaceId)];
        if (facts === undefined || facts instanceof Error) throw facts;
        return facts;
      },
    },
    reader,
    effects: {
      nowMs: () => T,
      progress: {
        step: (stage, done, total, _, facts) =>
          said.push(`${stage} ${done}/${total} ${JSON.stringify(facts)}`),
        tick: () => {},
        warn: (message) => said.push(message),
      },
    },
  };
  return { ens, said, asked, run: (rest: Partial<NamesInput> = {}) => fetchNames({ ...input, ...rest }) };
}
