import type { ConnectionLimits } from "./connections.ts";

/** How long Node lets callers take, on both listeners where the operator's is not stricter. */
export const TIMEOUTS = {
  /** A whole request must have arrived within this: a slow sender holds a socket, not the server. */
  requestTimeout: 5_000,
  /** The headers of a request must have arrived within this; below the whole request's. */
  headersTimeout: 4_000,
  /** How often Node looks for sockets past the two limits above. */
  connectionsCheckingInterval: 1_000,
  /** An idle connection is kept for this long. */
  keepAliveTimeout: 5_000,
} as const;

/** What callers may take of the public listener. */
export const CONNECTION_LIMITS = {
  /**
   * Where nothing else is set. libuv takes up to 1,024 events at once, and while there are that many it asks for more up to
   * 48 times before timers and commits get their turn: beside 1,500 busy callers others waited for seconds.
   */
  connectionsMax: 900,
  newcomersShare: 1 / 2,
  /** After so many requests a caller connects anew, so that load can move between servers. */
  requestsPerSocketMax: 10_000,
  waitingMax: 32,
  /** A slow reader holds a socket, not the server. */
  answerTimeoutMs: 7_000,
  checkEveryMs: 1_000,
} as const satisfies ConnectionLimits;

/** After its last answer a connection is read for this long, so that no reset overtakes the answer. */
export const LINGER_MS = 1_000;

/**
 * Connections that the system accepts ahead of us; it takes its own limit where that is lower. Beyond it a caller's first
 * packet is dropped in silence, and the caller tries again after one second, then after two more.
 */
export const BACKLOG = 4_096;

/** Bytes of URL and headers together. */
export const HEADER_BYTES_MAX = 8 * 1024;

/** Above any id that fits into the header bytes: a long id is a 404 like any other unknown one, and no 414. */
export const PATH_ID_CHARACTERS_MAX = 1 + HEADER_BYTES_MAX;

/** Requests under way at once, where nothing else is set. */
export const IN_FLIGHT_MAX = 2_000;

/** Bytes of answers kept in memory. */
export const ANSWERS_CACHED_BYTES_MAX = 64 * 1024 * 1024;

/** A new version is served at most this long after the pointer moved, and the time to verify it. */
export const SNAPSHOT_POLL_MS = 1_000;

/** A stopping server waits this long for the answers under way, then cuts them off. */
export const STOP_DEADLINE_MS = 10_000;

/** How long a stopping server serves on, where nothing else is set: longer than an idle connection is kept, to which Node adds a second. */
export const DRAIN_MS = TIMEOUTS.keepAliveTimeout + 2_000;
