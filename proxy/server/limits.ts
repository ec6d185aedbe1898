import type { ConnectionLimits } from "./connections.ts";

/** Node's timeouts for callers, on both listeners unless the operator's is stricter. */
export const TIMEOUTS = {
  /** A whole request must arrive within this time: a slow sender holds a socket, not the server. */
  requestTimeout: 5_000,
  /** The headers of a request must arrive within this time; shorter than the whole request's. */
  headersTimeout: 4_000,
  /** How often Node checks for sockets past the two limits above. */
  connectionsCheckingInterval: 1_000,
  keepAliveTimeout: 5_000,
} as const;

export const CONNECTION_LIMITS = {
  /**
   * The default. libuv reads up to 1,024 events at once, and while it gets that many it polls up to 48 times more before
   * timers and commits run: with 1,500 busy callers, others waited for seconds.
   */
  connectionsMax: 900,
  newcomersShare: 1 / 2,
  newcomersATurn: 16,
  keptForMs: 10_000,
  unpaidMax: 16,
  /** After this many requests a caller must reconnect, so that load can move between servers. */
  requestsPerSocketMax: 10_000,
  waitingMax: 32,
  /** A slow reader holds a socket, not the server. */
  answerTimeoutMs: 7_000,
  checkEveryMs: 1_000,
} as const satisfies ConnectionLimits;

/** Large answers to callers without a key at once: the page of `/docs` has three. */
export const LARGE_ANSWERS_MAX = 16;

/** A connection is still read for this long after its last response, so that no reset overtakes the response. */
export const LINGER_MS = 1_000;

/**
 * Connections that the system accepts before this process does; the system's own limit applies if it is lower. Above it
 * a caller's first packet is dropped silently, and the caller retries after one second, then after two more.
 */
export const BACKLOG = 4_096;

/** The most bytes of URL and headers together. */
export const HEADER_BYTES_MAX = 8 * 1024;

/** More than any id that fits into the header bytes: a long id gets 404 like any other unknown one, not 414. */
export const PATH_ID_CHARACTERS_MAX = 1 + HEADER_BYTES_MAX;

/** The default for requests in progress at once. */
export const IN_FLIGHT_MAX = 2_000;

/** A new version is served at most this long, plus the time to verify it, after the pointer changed. */
export const SNAPSHOT_POLL_MS = 1_000;

/** A stopping server waits this long for responses in progress, then cuts them off. */
export const STOP_DEADLINE_MS = 10_000;

/**
 * The default for how long a stopping server keeps serving: longer than an idle connection is kept, to which Node adds
 * a second.
 */
export const DRAIN_MS = TIMEOUTS.keepAliveTimeout + 2_000;
