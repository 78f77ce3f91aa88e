import { Badge, type Tone } from '../../kit/badge.js';

/** A status in the colour and shape of its class. */
export function StatusBadge({ status }: { status: number }) {
  return <Badge tone={toneOf(status)}>{status}</Badge>;
}

function toneOf(status: number): Tone {
  if (status >= 500) return 'bad';
  if (status >= 400) return 'warn';
  return status >= 300 ? 'none' : 'good';
}
