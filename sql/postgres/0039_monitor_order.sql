-- The monitors of a page in its order, so that a part of the list reads that part only.

create index monitors_order on monitors (page_id, position, slug);
