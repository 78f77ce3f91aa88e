import type { Context } from 'koa';
import Type from 'typebox';
import { limits } from '../../contract/limits.js';
import type { Ingest } from '../../ingest/pipeline.js';
import type { WriteVersion } from '../../ingest/prometheus/read-series.js';
import { ServiceError } from '../../lib/service-error.js';
import { hangUpSignal } from '../hang-up.js';
import type { BodyRoute } from '../route.js';

const mediaType = 'application/x-protobuf';
/** The messages that the parameter `proto` of the media type names; without it, a body is the first. */
const versions: ReadonlyMap<string, WriteVersion> = new Map([
  ['prometheus.WriteRequest', 1],
  ['io.prometheus.write.v2.Request', 2],
]);

/** Takes what Prometheus forwards (https://prometheus.io/docs/specs/prw/remote_write_spec_2_0/), of both versions. */
export function remoteWriteRoutes({ ingest }: { ingest: Ingest }): BodyRoute[] {
  return [
    {
      method: 'POST',
      path: '/api/v1/prometheus/write',
      operationId: 'postRemoteWrite',
      summary: 'Count the requests of histograms that Prometheus forwards',
      description:
        'Remote write 1.0 and 2.0 of Prometheus. A histogram counts from its second point on; other metrics are ignored',
      access: { scope: 'ingest', capability: 'internal-analytics', keyError: 'invalidIngestKey' },
      body: { schema: Type.Unknown(), mediaType, isSnappy: true, bytesMax: limits.otlpBodyBytes },
      answers: { 204: Type.Null() },
      errors: [
        ...(['methodNotAllowed', 'invalidBody', 'bodyNotProtobuf', 'bodyType', 'tooManySpans'] as const),
        ...(['storeBusy', 'storeUnavailable', 'shuttingDown'] as const),
      ],
      async handle(ctx, { pageId }, body, answerBy) {
        const version = versionOf(ctx);
        const time = { answerBy, leave: () => hangUpSignal(ctx.res) };
        const { samples, histograms } = await ingest.acceptRemoteWrite(pageId, body, version, time);
        ctx.status = 204;
        if (version === 2) ctx.set(writtenHeaders(samples, histograms));
      },
    },
  ];
}

/**
 * Samples that are ignored on purpose count as written. Prometheus takes a difference for a loss, logs it as an error and
 * raises its alerts about remote storage; nobody would see the failures among them.
 */
function writtenHeaders(samples: number, histograms: number): Record<string, string> {
  return {
    'x-prometheus-remote-write-samples-written': String(samples),
    'x-prometheus-remote-write-histograms-written': String(histograms),
    'x-prometheus-remote-write-exemplars-written': '0',
  };
}

function versionOf(ctx: Context): WriteVersion {
  const [type = '', ...parameters] = ctx.get('content-type').split(';');
  const proto = parameters.map((text) => /^\s*proto\s*=\s*"?([^"]*?)"?\s*$/i.exec(text)?.[1]).find(Boolean);
  const version = versions.get(proto ?? 'prometheus.WriteRequest');
  if (type.trim().toLowerCase() !== mediaType || version === undefined) {
    const read = [...versions.keys()].map((name) => `"${mediaType};proto=${name}"`).join(' or ');
    throw new ServiceError('bodyType', { message: `Content-Type must be ${read}.` });
  }
  return version;
}
