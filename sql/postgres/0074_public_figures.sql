-- Figures of requests that a page publishes.

alter table pages
  add column figures jsonb not null default '[]' check (
    case when jsonb_typeof(figures) = 'array' then jsonb_array_length(figures) <= 6 else false end);
comment on column pages.figures is '[{"title", "service", "endpoint", "shows", "window"}, …] in the order of the page; endpoint is null for all of a service';
