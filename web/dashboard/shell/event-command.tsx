import { Command } from '../kit/command.js';
import { useSession } from '../session.js';

/** The line that sends a first event; it turns into figures a second later. */
export function EventCommand() {
  const { baseUrl } = useSession();
  return <Command>{eventCommand(baseUrl)}</Command>;
}

/** Sends one event with a key in the environment. */
export function eventCommand(baseUrl: string): string {
  const event = '{"service": "shop", "endpoint": "/cart/:id", "status": 200, "ms": 12.5}';
  return `curl ${baseUrl}/api/v1/events -H "Authorization: Bearer $INGEST_KEY" -H 'Content-Type: application/json' -d '[${event}]'`;
}
