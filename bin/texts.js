import { writeTexts } from './build/texts.js';

/** Checks the texts and writes what is made of them, without compiling: for the image, which is built without checks. */
const failure = writeTexts();
if (failure !== undefined) {
  process.stderr.write(`${failure}\n`);
  process.exitCode = 1;
}
