import Type, { type Static } from 'typebox';

const description = (message: string): string =>
  `${message} of OTLP 1.x in its JSON form, or as \`application/x-protobuf\`. Fields that are not read may be absent`;

/** ExportTraceServiceRequest, as far as it is described; see docs/otlp.md. */
export const OtlpTraces = Type.Object(
  { resourceSpans: Type.Optional(Type.Array(Type.Object({}))) },
  { $id: 'OtlpTraces', description: description('ExportTraceServiceRequest') },
);
/** ExportMetricsServiceRequest. */
export const OtlpMetrics = Type.Object(
  { resourceMetrics: Type.Optional(Type.Array(Type.Object({}))) },
  { $id: 'OtlpMetrics', description: description('ExportMetricsServiceRequest') },
);

/**
 * ExportTraceServiceResponse and ExportMetricsServiceResponse in JSON. `partialSuccess` is there when something was
 * rejected; the sender must not send it again. With 0 rejected, it says that what probably counts requests is not read.
 * 64-bit numbers are texts.
 */
export const OtlpAnswer = Type.Object(
  {
    partialSuccess: Type.Optional(
      Type.Object({
        rejectedSpans: Type.Optional(
          Type.String({ description: 'Of traces: requests that were not counted.' }),
        ),
        rejectedDataPoints: Type.Optional(
          Type.String({ description: 'Of metrics: data points that were not counted.' }),
        ),
        errorMessage: Type.String({ description: 'Why, for the first of each reason.' }),
      }),
    ),
  },
  { $id: 'OtlpAnswer' },
);
export type OtlpAnswer = Static<typeof OtlpAnswer>;

/** google.rpc.Status beside the usual members of an error. */
export const OtlpError = Type.Object(
  {
    error: Type.String({ description: 'What was wrong, for a person.' }),
    code: Type.Integer({ description: 'google.rpc.Code.' }),
    message: Type.String({ description: 'The same as `error`.' }),
    details: Type.Array(
      Type.Object({
        '@type': Type.String(),
        reason: Type.String({ description: 'The code of the error in docs/errors.md.' }),
        domain: Type.String(),
      }),
      { description: 'One google.rpc.ErrorInfo.' },
    ),
    hint: Type.Optional(
      Type.String({ description: 'What to do about it, or where to look; absent where `error` says it.' }),
    ),
  },
  { $id: 'OtlpError' },
);
export type OtlpError = Static<typeof OtlpError>;
