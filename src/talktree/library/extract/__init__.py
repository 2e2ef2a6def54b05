"""What files tell: pieces to be found, facts to be counted, links between records."""
