/** The outcome of one request. */
export type RequestEvent = {
  /** The template of the route, such as `/carts/:id`, never an address with its values. */
  endpoint: string;
  /** `GET` by default. */
  method?: string | undefined;
  /** The status of HTTP, 100 to 599; 499 for a client that has gone. */
  status: number;
  /** From the request to the end of the answer. */
  ms: number;
  /** Description of a failure; Heartline keeps it for statuses of 400 and above. Must not contain personal data. */
  message?: string | undefined;
  /** End of the request, in milliseconds since the epoch; now by default. */
  at?: number | undefined;
};

/** The description that a process sends of itself. */
export type ReporterIdentity = {
  /** Stable id of the process across restarts, such as its host and role. */
  reporterId: string;
  englishName: string;
  region?: string;
  team?: string;
  /** Service that this process is an instance of: the requests of all of them add up, and silence is that of each. */
  service?: string;
  /** The process calls at least this often, 15 to 300; without it, Heartline does not notice its silence. */
  expectedEverySeconds?: number;
};

/** Limits of Heartline, beyond which it would reject an event. */
export const limits = {
  endpointChars: 200,
  messageChars: 200,
  statusMin: 100,
  statusMax: 599,
} as const;
