import { existsSync } from 'node:fs';
import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, chromium } from 'playwright-core';
import type { Test } from 'tap';

/**
 * A headless Chromium that came with `npm ci`, closed when the test ends. Nothing is asked of the machine: the
 * package brings the libraries and a font, too.
 */
export async function openBrowser(t: Test): Promise<Browser> {
  const dir = await unpackBrowser();
  const browser = await chromium.launch({
    executablePath: join(dir, 'chromium'),
    args: [
      '--no-sandbox',
      '--no-zygote',
      '--disable-gpu',
      '--disable-background-networking',
      '--disable-sync',
    ],
    env: {
      ...process.env,
      HOME: dir,
      FONTCONFIG_PATH: join(dir, 'fonts'),
      LD_LIBRARY_PATH: join(dir, 'al2023', 'lib'),
    },
  });
  t.teardown(() => browser.close());
  return browser;
}

/**
 * Unpacking takes three seconds of a processor, so the files stay for the next test. They are put in place by one
 * rename, because several files may begin at once.
 */
async function unpackBrowser(): Promise<string> {
  const dir = join(tmpdir(), `heartline-browser-143.1-${process.getuid?.() ?? 0}`);
  if (existsSync(dir)) return dir;
  const staging = await mkdtemp(join(tmpdir(), 'heartline-browser-'));
  // The package unpacks into the temporary folder of its process, and brings its libraries only to such a machine.
  const before = { TMPDIR: process.env['TMPDIR'], AWS_EXECUTION_ENV: process.env['AWS_EXECUTION_ENV'] };
  Object.assign(process.env, { TMPDIR: staging, AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs20.x' });
  try {
    const { default: packed } = await import('@sparticuz/chromium');
    await packed.executablePath();
  } finally {
    for (const [name, value] of Object.entries(before)) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  }
  // The package's own list of folders knows only those of its usual machine; without a font no text has a height.
  await writeFile(
    join(staging, 'fonts', 'fonts.conf'),
    `<?xml version="1.0"?><fontconfig><dir>${dir}/fonts</dir><cachedir>${dir}/font-cache</cachedir></fontconfig>\n`,
  );
  await rename(staging, dir).catch(async (error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error;
    await rm(staging, { recursive: true, force: true });
  });
  return dir;
}
