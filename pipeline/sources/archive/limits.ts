/** A loop over outside data has an end, and reaching it is an error. */
export const ARCHIVE_LIMITS = {
  /** A hub's largest proposals (a body of 40,000 characters, 1,000 choices) stay far below. */
  rowBytesMax: 16 * 1024 * 1024,
  /** Twenty times the votes of the largest space of the hub. */
  rowsMax: 50_000_000,
  /** A whole file that is read at once: a space, the delegates of a day. */
  fileBytesMax: 64 * 1024 * 1024,
  /** Values of one JSON text, each of which costs many times its characters: 400,000 delegates, 25 MB as objects. */
  jsonValuesMax: 2_000_000,
  /** Days of delegate lists of one DAO: a century. */
  listsMax: 36_525,
  /** No object of a hub or a node is nested deeper; strategies hold strategies, and seldom more than twice. */
  jsonDepthMax: 64,
  /** One recorded answer of a node: twice what the door to the network lets in. */
  answerBytesMax: 64 * 1024 * 1024,
  /** Recorded answers of one DAO, of which some 200 bytes each are held; an answer may hold 10,000 logs. */
  answersMax: 1_000_000,
  /** Of a file with more malformed rows than this the rest is not trusted either. */
  malformedShareMax: 0.1,
} as const;
