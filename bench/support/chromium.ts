import { existsSync } from 'node:fs';
import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, chromium } from 'playwright-core';

/** Starts a headless Chromium from `npm ci`, which brings its libraries and a font. Close it at the end. */
export async function launchChromium(): Promise<Browser> {
  const dir = await unpackBrowser();
  return chromium.launch({
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
}

/**
 * Unpacking takes 3 s of processor time, so the files stay for the next test. A single rename puts them in place,
 * because several test files may start at once.
 */
async function unpackBrowser(): Promise<string> {
  const cache = process.env['HEARTLINE_TEST_CACHE'] ?? tmpdir();
  const dir = join(cache, `heartline-browser-143.1-${process.getuid?.() ?? 0}`);
  if (existsSync(dir)) return dir;
  const staging = await mkdtemp(join(cache, 'heartline-browser-'));
  // The package unpacks into the temporary folder of its process, and unpacks libraries only on such a machine.
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
  // The list of folders in the package fits only the machine it is made for; without a font, text has no height.
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
