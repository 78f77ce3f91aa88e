import Type from 'typebox';
import { Compile } from 'typebox/compile';
import { createEgress, type EgressAnswer } from '../../lib/outbound/egress.js';
import { EgressError, explainFailure } from '../../lib/outbound/egress-error.js';
import { hourMs } from '../../lib/times.js';

/** A service that translates plain text. */
export type Translator = {
  /**
   * Translates texts, none of them blank, into `target`. Returns the translations in the order of the texts. Languages
   * are BCP 47 tags.
   *
   * @throws TranslationError when the service does not answer with translations, and the reason of `signal` when it
   *   is aborted.
   */
  translate(
    texts: readonly string[],
    source: string,
    target: string,
    signal: AbortSignal,
  ): Promise<readonly string[]>;
};

/** `unavailable`: other texts would fail now as well. `refused`: these texts may be the cause. */
export type TranslationErrorKind = 'unavailable' | 'refused';

/** The message is one sentence for the operator, without secrets. */
export class TranslationError extends Error {
  override name = 'TranslationError';

  constructor(
    readonly kind: TranslationErrorKind,
    message: string,
    /** How long the service asked to wait, in milliseconds. */
    readonly retryAfterMs = 0,
  ) {
    super(message);
  }
}

const answerBytesMax = 1024 * 1024;
const retryAfterMsMax = hourMs;
const errorChars = 200;

const checkAnswer = Compile(Type.Object({ translatedText: Type.Array(Type.String({ pattern: /\S/ })) }));
const checkError = Compile(Type.Object({ error: Type.String() }));

/**
 * Translates with a LibreTranslate server (https://docs.libretranslate.com, `POST /translate`) at this address. The
 * parameter `api_key` of the address is sent as the API key. The operator configures the address; it may be private.
 */
export function createLibreTranslator(
  address: string,
  { requestTimeoutMs }: { requestTimeoutMs: number },
): Translator {
  const { url, apiKey } = parseAddress(address);

  // The operator chose the address, so it may be in a private network.
  const egress = createEgress({ allowPrivateAddresses: true });

  async function send(body: object, signal: AbortSignal): Promise<{ answer: EgressAnswer; text: string }> {
    try {
      const answer = await egress.send({
        ...{ method: 'POST', url: url.href, timeoutMs: requestTimeoutMs, signal },
        headers: {
          'content-type': 'application/json',
          accept: 'application/json',
          'accept-encoding': 'identity',
        },
        body: JSON.stringify({ ...body, ...(apiKey !== null && { api_key: apiKey }) }),
        answerBytesMax,
      });
      const { bytes, isCut, error } = answer.body;
      if (isCut) throw new TranslationError('refused', 'The answer is too long.');
      if (error !== undefined) throw explainFailure(error);
      return { answer, text: bytes.toString('utf8') };
    } catch (error) {
      if (error instanceof EgressError) throw new TranslationError('unavailable', error.message);
      throw error;
    }
  }

  return {
    async translate(texts, source, target, signal) {
      const [from, to] = [codeOf(source), codeOf(target)];
      // For example en and en-GB, which LibreTranslate does not distinguish.
      if (from === to) return texts;
      const { answer, text } = await send({ q: texts, source: from, target: to, format: 'text' }, signal);
      if (answer.status !== 200) throw refusalOf(answer, hide(parseError(text), apiKey));
      const translated = parseAnswer(text);
      if (!checkAnswer.Check(translated) || translated.translatedText.length !== texts.length) {
        throw new TranslationError('refused', 'The answer is not one translation per text.');
      }
      return translated.translatedText;
    },
  };
}

function parseAddress(address: string): { url: URL; apiKey: string | null } {
  const url = new URL(address);
  const apiKey = url.searchParams.get('api_key');
  url.search = '';
  url.hash = '';
  url.pathname = `${url.pathname.replace(/\/+$/, '')}/translate`;
  return { url, apiKey };
}

/** LibreTranslate has codes of languages; the only regions and scripts that it distinguishes are these. */
function codeOf(tag: string): string {
  const { language, region } = new Intl.Locale(tag);
  if (language === 'zh') return `zh-${new Intl.Locale(tag).maximize().script}`;
  return language === 'pt' && region === 'BR' ? 'pt-BR' : language;
}

/** Tells, by the statuses of LibreTranslate, whether the texts or the server caused the failure. */
function refusalOf({ status, retryAfter }: EgressAnswer, error: string): TranslationError {
  const kind: TranslationErrorKind = [400, 413, 422, 500].includes(status) ? 'refused' : 'unavailable';
  const seconds = Number(retryAfter ?? 0);
  const retryAfterMs = seconds > 0 ? Math.min(seconds * 1000, retryAfterMsMax) : 0;
  return new TranslationError(kind, `Status ${status}${error === '' ? '.' : `: ${error}`}`, retryAfterMs);
}

function parseError(text: string): string {
  const answer = parseAnswer(text);
  return checkError.Check(answer) ? answer.error.replaceAll(/\p{Cc}+/gu, ' ').slice(0, errorChars) : '';
}

/** Removes the API key, which a server may repeat in its error. */
function hide(text: string, apiKey: string | null): string {
  return apiKey === null || apiKey === '' ? text : text.replaceAll(apiKey, '…');
}

/** Returns `undefined` for text that is not JSON. */
function parseAnswer(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
