-- Filters of the web app that an account saved under a name. They have no history and are no read table: commands write
-- them, a replay does not. They are deleted with their account.
CREATE TABLE saved_views (
  id :key PRIMARY KEY,
  user_id :key NOT NULL,
  name text NOT NULL,
  path text NOT NULL,
  query text NOT NULL,
  pinned boolean NOT NULL,
  position double precision NOT NULL,
  created_at bigint NOT NULL,
  updated_at bigint NOT NULL
);
CREATE INDEX saved_views_by_user ON saved_views (user_id, position, id);
