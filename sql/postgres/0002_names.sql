-- The names that a page's rows are keyed by, so that their number has a limit that holds across instances and
-- restarts. An instance asks only for names that it has not met yet.
CREATE TABLE page_name_counts (
  page_id uuid PRIMARY KEY REFERENCES pages (id) ON DELETE CASCADE,
  endpoints integer NOT NULL DEFAULT 0 CHECK (endpoints >= 0),
  sources integer NOT NULL DEFAULT 0 CHECK (sources >= 0)
);
COMMENT ON TABLE page_name_counts IS 'Rows of endpoints and sources per page; its row is the lock under which names are added and removed';

CREATE TABLE endpoints (
  page_id uuid NOT NULL REFERENCES pages (id) ON DELETE CASCADE,
  endpoint text NOT NULL,
  first_seen_at timestamptz NOT NULL,
  PRIMARY KEY (page_id, endpoint)
);

CREATE TABLE sources (
  page_id uuid NOT NULL REFERENCES pages (id) ON DELETE CASCADE,
  kind text NOT NULL CHECK (kind IN ('service', 'reporter')),
  source text NOT NULL,
  name text,
  region text,
  team text,
  expected_every_seconds integer CHECK (expected_every_seconds BETWEEN 15 AND 300),
  first_seen_at timestamptz NOT NULL,
  PRIMARY KEY (page_id, kind, source)
);
COMMENT ON TABLE sources IS 'Services (v1) and reporters (v2) with what a reporter says of itself; a reporter never expires';
