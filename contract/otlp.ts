import Type, { type Static } from 'typebox';

/**
 * ExportTraceServiceResponse and ExportMetricsServiceResponse in JSON. `partialSuccess` is there when something was
 * rejected; the sender must not send it again. 64-bit numbers are texts.
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
        errorMessage: Type.String({ description: 'Why, for the first of them.' }),
      }),
    ),
  },
  { $id: 'OtlpAnswer' },
);
export type OtlpAnswer = Static<typeof OtlpAnswer>;
