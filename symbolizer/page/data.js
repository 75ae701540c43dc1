// data - reading
