import { type Frame, scanFrames, type Unread } from '../../lib/outbox/log/frame.js';

/** The content of a file of the log. */
export type ReadFrames = Unread & { frames: Frame[] };

/** Reads every whole record at once. */
export function readFrames(bytes: Buffer, marker: Buffer): ReadFrames {
  const frames: Frame[] = [];
  const scan = scanFrames(bytes, marker);
  for (;;) {
    const next = scan.next();
    if (next.done) return { frames, ...next.value };
    frames.push(next.value);
  }
}
