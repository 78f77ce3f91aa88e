-- An incident key can add 86,000 incidents to a page in a day, and each change makes the page's answers load again. With
-- 100,000 incidents of a page, each of these reads read them all; with the indexes, those that it shows.

-- The order of every list. Times of incidents are chosen by their writers, so a list may hold one time only.
create index incidents_started on incidents (page_id, started_at desc, id desc);
drop index incidents_page_id;

create index incidents_resolved on incidents (page_id, resolved_at desc, id desc) where resolved_at is not null;
create index incidents_published on incidents (page_id, published_at desc, id desc);
