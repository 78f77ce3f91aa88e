/** A backup or a restore that cannot be made. Its message is the one plain sentence that the person is shown. */
export class BackupError extends Error {
  override name = 'BackupError';
}
