import { StringDecoder } from 'node:string_decoder';

/**
 * Lines of a stream of UTF-8 text, without their ends. Cuts off a line after `charsMax` characters, so that no file takes
 * more memory than that.
 */
export async function* readLines(stream: AsyncIterable<Buffer>, charsMax: number): AsyncGenerator<string> {
  const decoder = new StringDecoder('utf8');
  let rest = '';
  for await (const chunk of stream) {
    const lines = decoder.write(chunk).split('\n');
    lines[0] = rest + (lines[0] ?? '');
    rest = (lines.pop() ?? '').slice(0, charsMax);
    for (const line of lines) yield line.slice(0, charsMax);
  }
  rest += decoder.end();
  if (rest !== '') yield rest;
}
