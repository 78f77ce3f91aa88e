import { StackError } from './errors.js';

const platforms = ['linux-x64', 'linux-arm64', 'darwin-x64', 'darwin-arm64'];

/** @throws StackError where the embedded ClickHouse is not built for. */
export function assertEmbeddable(platform: string, architecture: string): void {
  if (platforms.includes(`${platform}-${architecture}`)) return;
  throw new StackError(
    `The embedded ClickHouse does not run on ${platform} ${architecture}, only on Linux and macOS, x64 and arm64; set CLICKHOUSE_URL to use a server.`,
  );
}
