import Type from 'typebox';
import { Compile } from 'typebox/compile';
import { explainFailure } from '../../lib/outbound/egress-error.js';
import { TranslationError, type TranslationErrorKind, type Translator } from './translator.js';

const answerBytesMax = 1024 * 1024;
const retryAfterMsMax = 3_600_000;
const errorChars = 200;

const checkAnswer = Compile(Type.Object({ translatedText: Type.Array(Type.String({ pattern: /\S/ })) }));
const checkError = Compile(Type.Object({ error: Type.String() }));

/**
 * A LibreTranslate server (https://docs.libretranslate.com, `POST /translate`) at this address; the parameter
 * `api_key` of the address is sent as its API key. The operator chose the address, which may be a private one.
 */
export function createLibreTranslator(
  address: string,
  { requestTimeoutMs }: { requestTimeoutMs: number },
): Translator {
  const { url, apiKey } = readAddress(address);

  async function send(body: object, signal: AbortSignal): Promise<{ response: Response; text: string }> {
    const ending = AbortSignal.any([signal, AbortSignal.timeout(requestTimeoutMs)]);
    try {
      const response = await fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ ...body, ...(apiKey !== null && { api_key: apiKey }) }),
        redirect: 'manual',
        signal: ending,
      });
      return { response, text: await readText(response) };
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof TranslationError) throw error;
      const message = ending.aborted
        ? `No answer within ${requestTimeoutMs} ms.`
        : explainFailure(error instanceof Error ? error.cause : error).message;
      throw new TranslationError('unavailable', message);
    }
  }

  return {
    async translate(texts, source, target, signal) {
      const [from, to] = [codeOf(source), codeOf(target)];
      // Such as en and en-GB, which such a server does not tell apart.
      if (from === to) return texts;
      const { response, text } = await send({ q: texts, source: from, target: to, format: 'text' }, signal);
      if (response.status !== 200) throw refusalOf(response, hide(readError(text), apiKey));
      const answer = parseJson(text);
      if (!checkAnswer.Check(answer) || answer.translatedText.length !== texts.length) {
        throw new TranslationError('refused', 'The answer is not one translation per text.');
      }
      return answer.translatedText;
    },
  };
}

function readAddress(address: string): { url: URL; apiKey: string | null } {
  const url = new URL(address);
  const apiKey = url.searchParams.get('api_key');
  url.search = '';
  url.hash = '';
  url.pathname = `${url.pathname.replace(/\/+$/, '')}/translate`;
  return { url, apiKey };
}

/** LibreTranslate knows languages; of regions and scripts only these. */
function codeOf(tag: string): string {
  const { language, region } = new Intl.Locale(tag);
  if (language === 'zh') return `zh-${new Intl.Locale(tag).maximize().script}`;
  return language === 'pt' && region === 'BR' ? 'pt-BR' : language;
}

async function readText(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    chunks.push(chunk);
    bytes += chunk.byteLength;
    if (bytes > answerBytesMax) throw new TranslationError('refused', 'The answer is too long.');
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** What is wrong with a text and what is wrong with the server, as far as LibreTranslate's statuses tell. */
function refusalOf({ status, headers }: Response, error: string): TranslationError {
  const kind: TranslationErrorKind = [400, 413, 422, 500].includes(status) ? 'refused' : 'unavailable';
  const seconds = Number(headers.get('retry-after') ?? 0);
  const retryAfterMs = seconds > 0 ? Math.min(seconds * 1000, retryAfterMsMax) : 0;
  return new TranslationError(kind, `Status ${status}${error === '' ? '.' : `: ${error}`}`, retryAfterMs);
}

function readError(text: string): string {
  const answer = parseJson(text);
  return checkError.Check(answer) ? answer.error.replaceAll(/\p{Cc}+/gu, ' ').slice(0, errorChars) : '';
}

/** A server may repeat the key in its refusal. */
function hide(text: string, apiKey: string | null): string {
  return apiKey === null || apiKey === '' ? text : text.replaceAll(apiKey, '…');
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
