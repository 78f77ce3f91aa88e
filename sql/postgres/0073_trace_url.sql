-- Where people look at the trace of a failing request.

alter table pages add column trace_url text check (length(trace_url) <= 500);
comment on column pages.trace_url is 'Address of a trace in the tracing tool, with {traceId} and perhaps {spanId} in it; null without a tool';
