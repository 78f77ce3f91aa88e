/** A backup or a restore is impossible. The message is one sentence for the operator. */
export class BackupError extends Error {
  override name = 'BackupError';
}
