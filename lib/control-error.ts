/** A request to the control store that cannot be done; the message is one sentence for the person who asked. */
export class ControlError extends Error {
  override name = 'ControlError';
}
