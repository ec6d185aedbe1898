import { pipelineFailure } from "./errors.ts";
import type { Registry, TrackedDao } from "./tracked.ts";
import { parseUrl } from "./upstream-text.ts";

export type SourceOption = "since" | "full" | "record" | "rps" | "concurrency" | "retryMinutes";

export const PUBLIC_ONCHAIN_URL = "https://api.snapshot.box";
export const PUBLIC_HUB_URL = "https://hub.snapshot.org/graphql";

interface SourceRow {
  /** What `--from` is: a folder, a URL with this default, or nothing, as nodes and other services have variables. */
  readonly from: "folder" | { readonly url: string } | "nodes" | "variable";
  readonly options: readonly SourceOption[];
  readonly isFor: (dao: TrackedDao) => boolean;
  /**
   * Whether it can have news, so that its last complete fetch says how fresh the DAOs are that it is for. One that counts
   * although nobody fetches it any more makes a DAO look absent, and lowers its score.
   */
  readonly isLive: boolean;
  /** Whether it waits for a network, hours for a large DAO, so that an interrupted fetch goes on where it was. */
  readonly isResumable: boolean;
  /** Whether it may lack a DAO that another source has. */
  readonly mayLackDaos: boolean;
}

/** What distinguishes the sources: all that other rooms ask of a source is in its row here. */
export const SOURCES = {
  // Closed proposals, which do not age.
  archive: {
    from: "folder",
    options: ["full"],
    isFor: () => true,
    isLive: false,
    isResumable: false,
    mayLackDaos: false,
  },
  "snapshot-hub": {
    from: { url: PUBLIC_HUB_URL },
    options: ["since", "full", "record", "rps", "concurrency", "retryMinutes"],
    isFor: ({ snapshot }) => snapshot !== "none",
    isLive: true,
    isResumable: true,
    mayLackDaos: true,
  },
  "snapshot-api": {
    from: "variable",
    options: ["full", "rps", "concurrency", "retryMinutes"],
    isFor: ({ onchain }) => onchain !== undefined,
    isLive: true,
    isResumable: true,
    mayLackDaos: false,
  },
  // Brings lists of delegates only, each with the time of its own.
  "delegates-api": {
    from: "variable",
    options: ["rps", "concurrency", "retryMinutes"],
    isFor: ({ governor }) => governor !== undefined,
    isLive: false,
    isResumable: true,
    mayLackDaos: false,
  },
  governor: {
    from: "nodes",
    options: ["full", "record", "rps", "concurrency", "retryMinutes"],
    isFor: ({ governor }) => governor !== undefined,
    isLive: true,
    isResumable: true,
    mayLackDaos: false,
  },
} as const satisfies Readonly<Record<string, SourceRow>>;

export type SourceId = keyof typeof SOURCES;
export const SOURCE_IDS = Object.keys(SOURCES) as readonly SourceId[];

/** Those of a network; the others read what somebody saved. */
export const LIVE_SOURCE_IDS: readonly SourceId[] = SOURCE_IDS.filter((id) => SOURCES[id].from !== "folder");

/** The URLs of what is not public: nodes and a delegates service. */
interface OwnServices {
  readonly rpcUrlOf?: ((chainId: number) => string | undefined) | undefined;
  readonly delegatesUrl?: string | undefined;
}

/** The live source reads this DAO, and if that takes a chain's node or a delegates service, there is one. */
export function isWithinReach(
  sourceId: SourceId,
  dao: TrackedDao,
  { rpcUrlOf, delegatesUrl }: OwnServices,
): boolean {
  if (!SOURCES[sourceId].isFor(dao)) return false;
  if (sourceId === "delegates-api") return Boolean(delegatesUrl);
  return (
    SOURCES[sourceId].from !== "nodes" ||
    (dao.governor !== undefined && Boolean(rpcUrlOf?.(dao.governor.chainId)))
  );
}

/** What is fetched from if nobody chooses: the live sources that the registry needs and that can be reached. */
export function neededSources(
  { daos, spaces }: Pick<Registry, "daos" | "spaces">,
  services: OwnServices,
): readonly SourceId[] {
  return LIVE_SOURCE_IDS.filter(
    (id) =>
      (id === "snapshot-hub" && spaces !== undefined) || daos.some((dao) => isWithinReach(id, dao, services)),
  );
}

/** The row of a source by the id that a warehouse stores; throws `WAREHOUSE_TOO_NEW` for an unknown one. */
export function sourceOf(sourceId: string): SourceRow {
  const known: Readonly<Record<string, SourceRow>> = SOURCES;
  const row = known[sourceId];
  if (row !== undefined) return row;
  throw pipelineFailure("WAREHOUSE_TOO_NEW", `the warehouse has data of ${sourceId}, an unknown source`, {
    hint: "Use the release of govdata that fetched them.",
  });
}

type ServiceId = "snapshot-hub" | "snapshot-api" | "delegates-api";

/** What is wrong if the address of a service is not a URL. */
const WITHOUT_URL: Readonly<Record<ServiceId, readonly [message: string, hint?: string]>> = {
  "snapshot-hub": ["--from must be the URL of a Snapshot hub", "It ends in /graphql."],
  "snapshot-api": ["GOVDATA_ONCHAIN_URL must be the URL of Snapshot's on-chain API"],
  "delegates-api": ["--source delegates-api needs GOVDATA_DELEGATES, the URL of a delegates service"],
};

/** The address of a service. Throws `BAD_OPTION` for one that is not a URL. */
export function requireUrlOf(sourceId: ServiceId, url: string): string {
  if (parseUrl(url) !== undefined) return url;
  const [message, hint] = WITHOUT_URL[sourceId];
  throw pipelineFailure("BAD_OPTION", message, { hint });
}
