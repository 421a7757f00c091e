def a
  puts x
end; def b
  puts x
end
puts x
