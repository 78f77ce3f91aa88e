/** The part of pino's logger that the service uses. It is passed in, and never imported. */
export type Log = {
  debug(fields: object, text: string): void;
  info(fields: object, text: string): void;
  warn(fields: object, text: string): void;
  error(fields: object, text: string): void;
};
