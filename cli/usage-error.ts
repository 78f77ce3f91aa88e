/** A command line that cannot be understood: exit 2, with a hint to --help. */
export class UsageError extends Error {
  override name = 'UsageError';
}
